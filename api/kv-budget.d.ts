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

export interface Fact {
  value: number;
  unit: string;
  /** Line of the log, from 1; null where it was computed. */
  line: number | null;
  half_width: number | null;
}

export interface Advice {
  flag: string;
  from: number | string | null;
  to: number | string | null;
  why: string;
}

export interface Diagnosis {
  engine: string | null;
  version: string | null;
  cause: string;
  /** Where the engine's fraction should go. */
  direction: "raise" | "lower" | "none" | "unknown";
  stage: string | null;
  facts: Record<string, Fact>;
  /** The query of the scenario that the log tells; for `evaluate` and for links to the page. */
  scenario: string | null;
  advice: Advice[];
  unknown: unknown[];
  issues: Issue[];
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

export interface CellSize {
  bytes_per_token_per_gpu: number | null;
  kind: "mha" | "gqa" | "mla" | "dsa" | "swa_hybrid" | "linear_hybrid" | null;
  terms: unknown[];
  state_bytes_per_request: number | null;
  swa_ratio: number | null;
  issues: Issue[];
}

/** What the formula gives for a scenario's query (`f=0.88&avail=21.697`); without one, for the default scenario. */
export function evaluate(query?: string): Evaluation;

/** What happened in a server's log, cut anywhere, and the flag that cures it. */
export function diagnose(log: string | Uint8Array): Diagnosis;

/** The bytes of KV cache for one token on one GPU, from a model's config.json: its text, its bytes, or the object. */
export function cellSize(config: string | Uint8Array | object, options?: CellOptions): CellSize;
