/** Something that was wrong with the input, or is uncertain about the answer. */
export interface Issue {
  /** The key, flag or place. */
  field: string;
  kind:
    | "unknown_key"
    | "not_a_number"
    | "out_of_range"
    | "repeated"
    | "bad_encoding"
    | "too_long"
    | "conflict"
    | "unknown_value"
    | "not_measured";
  message: string;
}

export interface Evaluation {
  /** total × (1 − fraction), GiB. */
  reserved_gib: number;
  /** available − reserved, GiB; may be negative. */
  rest_gib: number;
  rest_bytes: number;
  /** What the formula gives, before cap and page; may be negative. */
  tokens: number;
  /** Tokens of the pool; 0 where the server cannot start. */
  pool_tokens: number;
  verdict: "no_fraction_works" | "cannot_start" | "too_high" | "starts";
  /** 1 − available / total. */
  min_fraction: number | null;
  /** The smallest thousandth whose pool holds one page. */
  suggested_fraction: number | null;
  /** 1 − dyn / total; null where the need is not known. */
  max_fraction: number | null;
  issues: Issue[];
}

/** One number of the log. */
export interface Fact {
  value: number;
  /** "GiB", "bytes per token", "tokens", "requests", or empty for a share. */
  unit: string;
  /** Line of the log that it was read from, from 1; of a computed one, a line that it rests on. */
  line: number;
  /** Half the interval that the printed decimals leave open. */
  half_width: number;
  /** The rank whose value decided, as its tag in the log. */
  rank?: string;
}

/** One thing to type. */
export interface Advice {
  /** Flag, environment variable or argument as the engine spells it. */
  flag: string;
  /** The value in force, where it is known and a number. */
  from: number | null;
  /** The value to try, where one is justified. */
  to: number | null;
  why: string;
}

/** A line that looked like a memory line and could not be read. */
export interface Unread {
  /** From 1. */
  line: number;
  /** The line, shortened. It comes from the log: show it as text only. */
  text: string;
}

export interface Diagnosis {
  engine: string | null;
  version: string | null;
  cause: string;
  /** Where the engine's fraction should go. */
  direction: "raise" | "lower" | "none" | "unknown";
  /** How far the start came. */
  stage: "init" | "weights" | "kv_pool" | "graph_capture" | "running" | null;
  /** One line: what happened. */
  result: string;
  /** One or two sentences: why, with the numbers of the log. */
  why: string;
  /** The numbers by name: "total", "available", "fraction", "rest", "cell", "tokens" and others. */
  facts: Record<string, Fact>;
  /** The query of the scenario that the log tells; for `evaluate` and for links to the page. */
  scenario: string | null;
  /** Best first. */
  advice: Advice[];
  /** The formula checked against what the log prints of the same numbers. */
  proof: string | null;
  unknown: Unread[];
  issues: Issue[];
  /** Earlier attempts of the same log, oldest first. */
  attempts?: Diagnosis[];
}

export interface CellOptions {
  /** --tp-size */
  tp?: number;
  /** --pp-size */
  pp?: number;
  /** --dp-size with data-parallel attention */
  dp?: number;
  /** --kv-cache-dtype */
  kvDtype?: "auto" | "bfloat16" | "float16" | "fp8_e4m3" | "fp8_e5m2" | "fp4_e2m1" | "mxfp8";
  /** Layers of the draft model. */
  draftLayers?: number;
  /** The release whose rules apply: "0.5.23". */
  sglang?: string;
}

/** One summand of the cell. */
export interface Term {
  /** The arithmetic: "61 layers × (512 + 64) × 2 bytes". */
  label: string;
  bytes: number;
}

export interface CellSize {
  bytes_per_token_per_gpu: number | null;
  kind: "mha" | "gqa" | "mla" | "dsa" | "swa_hybrid" | "linear_hybrid" | null;
  terms: Term[];
  /** Bytes of state for one request on one GPU; linear hybrids only. */
  state_bytes_per_request: number | null;
  /** Tokens of the window pool per token of the full pool; sliding-window hybrids only. */
  swa_ratio: number | null;
  issues: Issue[];
}

/** What the formula gives for a scenario's query (`f=0.88&avail=21.697`); without one, for the default scenario. */
export function evaluate(query?: string): Evaluation;

/** What happened in a server's log, cut anywhere, and the flag that cures it. */
export function diagnose(log: string | Uint8Array): Diagnosis;

/** The bytes of KV cache for one token on one GPU, from a model's config.json: its text, its bytes, or the object. */
export function cellSize(config: string | Uint8Array | object, options?: CellOptions): CellSize;
