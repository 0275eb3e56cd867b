// Unpacks LZMA: a sixth smaller than gzip for programs, which is worth these lines. One format only, as the build writes it:
// properties, size of the dictionary, size of the text, then the coded bits.
async function unpacked(text64) {
  const packed = Uint8Array.from(atob(text64), (byte) => byte.charCodeAt(0));
  const literalContext = packed[0] % 9;
  const positions = (1 << ((packed[0] / 45) | 0)) - 1;
  const literalPositions = (1 << (((packed[0] / 9) | 0) % 5)) - 1;
  const text = new Uint8Array(new DataView(packed.buffer).getUint32(5, true));
  const fresh = (count) => new Uint16Array(count).fill(1024);
  let next = 14;
  let range = 0xffffffff;
  let code = 0;
  for (let i = 0; i < 4; i++) code = code * 256 + packed[next++];

  const refill = () => {
    if (range < 0x1000000) {
      range *= 256;
      code = code * 256 + packed[next++];
    }
  };
  const bit = (chances, at) => {
    const chance = chances[at];
    const bound = (range >>> 11) * chance;
    const one = code >= bound;
    if (one) {
      range -= bound;
      code -= bound;
      chances[at] = chance - (chance >> 5);
    } else {
      range = bound;
      chances[at] = chance + ((2048 - chance) >> 5);
    }
    refill();
    return one ? 1 : 0;
  };
  // A number of so many bits: the highest first, or the lowest.
  const tree = (chances, bits, from = 0) => {
    let node = 1;
    for (let i = 0; i < bits; i++) node = (node << 1) | bit(chances, from + node);
    return node - (1 << bits);
  };
  const backwards = (chances, bits, from) => {
    let node = 1;
    let number = 0;
    for (let i = 0; i < bits; i++) {
      const one = bit(chances, from + node);
      node = (node << 1) | one;
      number |= one << i;
    }
    return number;
  };
  const direct = (bits) => {
    let number = 0;
    for (let i = 0; i < bits; i++) {
      range = range / 2 >>> 0;
      const one = code >= range;
      if (one) code -= range;
      number = number * 2 + (one ? 1 : 0);
      refill();
    }
    return number;
  };

  const lengths = () => {
    const [choice, low, middle, high] = [fresh(2), fresh(128), fresh(128), fresh(256)];
    return (position) => {
      if (!bit(choice, 0)) return 2 + tree(low, 3, position << 3);
      if (!bit(choice, 1)) return 10 + tree(middle, 3, position << 3);
      return 18 + tree(high, 8);
    };
  };
  const [matchLength, repeatLength] = [lengths(), lengths()];
  const literals = fresh(0x300 << (literalContext + ((packed[0] / 9) | 0) % 5));
  const isMatch = fresh(192);
  const [isRepeat, isRepeat0, isRepeat1, isRepeat2, isRepeat0Long] = [fresh(12), fresh(12), fresh(12), fresh(12), fresh(192)];
  const [slots, special, align] = [fresh(256), fresh(128), fresh(16)];
  let state = 0;
  let last = [0, 0, 0, 0];

  for (let at = 0; at < text.length; ) {
    const position = at & positions;
    if (!bit(isMatch, (state << 4) + position)) {
      const before = at ? text[at - 1] : 0;
      const from = 0x300 * (((at & literalPositions) << literalContext) + (before >> (8 - literalContext)));
      let node = 1;
      if (state >= 7) {
        let matched = text[at - last[0] - 1];
        while (node < 0x100) {
          const expected = (matched >> 7) & 1;
          matched <<= 1;
          const one = bit(literals, from + ((1 + expected) << 8) + node);
          node = (node << 1) | one;
          if (one !== expected) break;
        }
      }
      while (node < 0x100) node = (node << 1) | bit(literals, from + node);
      text[at++] = node;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let length;
    if (bit(isRepeat, state)) {
      if (!bit(isRepeat0, state)) {
        if (!bit(isRepeat0Long, (state << 4) + position)) {
          state = state < 7 ? 9 : 11;
          text[at] = text[at - last[0] - 1];
          at++;
          continue;
        }
      } else {
        const which = !bit(isRepeat1, state) ? 1 : bit(isRepeat2, state) ? 3 : 2;
        const [distance] = last.splice(which, 1);
        last.unshift(distance);
      }
      length = repeatLength(position);
      state = state < 7 ? 8 : 11;
    } else {
      length = matchLength(position);
      state = state < 7 ? 7 : 10;
      let distance = tree(slots, 6, Math.min(length - 2, 3) << 6);
      if (distance >= 4) {
        const bits = (distance >> 1) - 1;
        const base = (2 | (distance & 1)) << bits;
        distance = distance < 14
          ? base + backwards(special, bits, base - distance)
          : base + direct(bits - 4) * 16 + backwards(align, 4, 0);
      }
      last = [distance, ...last.slice(0, 3)];
    }
    for (let from = at - last[0] - 1; length > 0; length--) text[at++] = text[from++];
  }
  return text;
}
