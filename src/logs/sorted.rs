//! Short sorted lists. Nothing here has more than a few hundred items, and the standard library's sorts and trees weigh
//! several kilobytes of download for each type that they are used with.

/// Puts a value at its place; says whether it is new.
pub fn insert<T: Ord>(list: &mut Vec<T>, value: T) -> bool {
    match list.binary_search(&value) {
        Ok(_) => false,
        Err(at) => {
            list.insert(at, value);
            true
        }
    }
}

/// Puts a value behind all that do not come after it.
pub fn insert_by<T>(list: &mut Vec<T>, value: T, not_after: impl Fn(&T, &T) -> bool) {
    let at = list.partition_point(|known| not_after(known, &value));
    list.insert(at, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_in_order_and_equal_ones_in_theirs() {
        let mut list = Vec::new();
        assert_eq!([3, 1, 2, 1].map(|value| insert(&mut list, value)), [true, true, true, false]);
        assert_eq!(list, [1, 2, 3]);
        let mut pairs = Vec::new();
        for pair in [(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd')] {
            insert_by(&mut pairs, pair, |known, new| known.0 <= new.0);
        }
        assert_eq!(pairs, [(1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
    }
}
