//! The light scheme of the page for pictures that stand alone: the tokens of `style/1-tokens.css` that they take, under
//! their names. `tests/contrast.rs` compares the two.

macro_rules! tokens {
    ($($(#[$meta:meta])* $name:ident = $token:literal $value:literal;)*) => {
        $($(#[$meta])* pub const $name: &str = $value;)*

        /// All of them: the token's name and its light colour.
        pub const TOKENS: &[(&str, &str)] = &[$(($token, $value)),*];
    };
}

tokens! {
    /// Behind everything.
    PAPER = "paper" "#fbfaf6";
    /// What stands on the paper; white, as the documents are that pictures are put into.
    CARD = "card" "#ffffff";
    /// Text.
    INK = "ink" "#1d2228";
    /// Text beside it.
    SOFT = "soft" "#59626d";
    /// Lines of a grid.
    LINE = "line" "#d9d5c9";
    /// Weights.
    WEIGHTS = "weights" "#5d6b7c";
    /// Free memory.
    FREE = "free" "#efece2";
    /// Room for the KV cache.
    ROOM = "room" "#167558";
    /// What weights and KV cache may use.
    ROOM_SOFT = "room-soft" "#dcebe4";
    /// What is set aside.
    RESERVE = "reserve" "#e8d39c";
    /// Where too much of it is taken.
    RESERVE_EDGE = "reserve-edge" "#8a6d1d";
    /// What is missing.
    SHORT = "short" "#b93a29";
    /// The ground of what is missing.
    SHORT_SOFT = "short-soft" "#f7dcd6";
}
