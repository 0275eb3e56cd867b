//! The story in English.

use super::{Belief, Bet, Frame, Logs, Outcome, Puzzles, Sizes, Step, Takes, Walk, WalkStep, Words};

/// All of it.
pub(super) const WORDS: Words = Words {
    name: "English",
    title: "The case of the negative memory",
    lead: "How a week was lost to one number, told so that nobody loses it again.",
    frame: Frame {
        step_of: "Step {step} of {steps}",
        steps: "Steps of the story",
        languages: "Language of the story",
        back: "Back",
        next: "Next: {next}",
        away: "The bars above show your own numbers.",
        returns: "Back to the story",
        now: "In the bars now",
        believed: "What they believed",
        stands: "still believed",
        fell: "wrong:",
        whole: "The story on one page",
        reference: "Reference",
        page: "Move the numbers on the page itself",
    },
    outcome: Outcome {
        short: "the KV cache is [rest|short by {=short}]: the server cannot start",
        nothing: "[rest|not one page] is left for the KV cache: the server cannot start",
        starts: "[rest|{=rest}] are left for the KV cache, [tokens|{=tokens} tokens]: the server starts",
        too_high: "[rest|{=rest}] are left for the KV cache, but too little is set aside: the server starts and dies later",
    },
    steps: [
        Step {
            short: "The crash",
            title: "A server that used to start",
            told: &[
                "Eight RTX PRO 6000 cards, joined by PCIe without NVLink, serve Kimi-K2.5 with tensor parallel {gpus}. Speculative decoding has turned out slower than none, {spec_tps} against {base_tps} tokens a second: each verify step does {allreduces} all-reduces over NCCL.",
                "So they try a custom all-reduce, with `--mem-fraction-static {f055}` on the command line. The weights load, and then every rank dies:",
                "`{refusal}`",
            ],
            now: "Of [total|{=total}] that were free at the start, [available|{=available}] are still free after the weights. SGLang sets [reserved|{=reserved}] aside. At {#f}, {=outcome}.",
            then: &[],
        },
        Step {
            short: "Your bet",
            title: "Place your bet: raise it or lower it?",
            told: &[
                "The message says increase. The name says *static*, like something fixed that is kept back. And the server has just run out of memory, so asking for less feels safe.",
                "One try costs {minutes} minutes of loading. Which way do you turn `--mem-fraction-static`?",
            ],
            now: "At {#f}, [reserved|{=reserved}] are set aside, and {=outcome}.",
            then: &[],
        },
        Step {
            short: "Lowered",
            title: "Lowered to {f050}: {minutes} minutes later, the same error",
            told: &[
                "They lower it. The weights take {minutes} minutes to load. Then the same message, on every rank, now with {f050} in it.",
                "The name misleads. “Static” is not what is kept back: it is what [budget|weights and KV cache together may use]. What is kept back is 1 − fraction. At {f055} that was [reserved|{reserved055}], at {f050} it is [reserved|{reserved050}]. Lowering took {more050} *from* the KV cache.",
            ],
            now: "Each 0.01 is worth {=hundredth}. At {#f}, {=outcome}.",
            then: &[],
        },
        Step {
            short: "{card} GB",
            title: "“The card has {card} GB”",
            told: &[
                "They read the source: `rest = available − total × (1 − fraction)`. With the card’s {card} GB for total they get [rest|{rest096}] by hand. It looks right, and it is not what the server computes.",
                "The caller passes another number: what was *free* once the GPUs had found each other, before any weights, and of all GPUs the *smallest*. Here [total|{total}]. By hand, with two decimals: {byhand055}.",
            ],
            now: "With total {#total} and available {#avail}, the rest is [rest|{=rest}].",
            then: &[
                "So one GPU decides for all. {mib100} less on one of them before the weights moves the rest by {up100}: up, since less is set aside. If they are missing after the weights too, it moves by {down100}.",
            ],
        },
        Step {
            short: "The suspect",
            title: "{mib24} against {short055}",
            told: &[
                "The suspect is the new kernel. On each GPU it takes three buffers, meta, data and rank data, of {mib8} each: {mib24}. And each GPU opens {handles} handles to the buffers of its peers, up to {mib224} of mappings.",
            ],
            now: "Take them away from total and available, and the rest is [rest|{=rest}]; it moved by {=moved}.",
            then: &[
                "Taken before total is measured, they move the rest by {move24} and {move224}. Taken after it, by their full size. Both were argued, and neither matters: {short055} are missing. *Acquitted.*",
                "Stock SGLang would not even have run it: on more than two GPUs that only PCIe joins, the custom all-reduce switches itself off. Here environment variables had forced it on.",
            ],
        },
        Step {
            short: "The print",
            title: "One debug print settles it",
            told: &[
                "Instead of one more theory they patch in one line that prints the inputs. It costs another start. After {seconds} seconds all eight ranks say the same:",
                "`{print}`",
                "No odd rank, no hidden clamp. The source does what it says. From these three decimals follow {tokens055} tokens; the print says {printed}, which is within the ± {rounding} that rounding leaves open.",
            ],
            now: "{#avail} − {#total} × (1 − {#f}) = [rest|{=rest}]; divided by {#cell} bytes a token: [tokens|{=tokens} tokens].",
            then: &[],
        },
        Step {
            short: "The baseline",
            title: "The baseline is broken, too",
            told: &[
                "To be sure, they start the plain baseline: NCCL, custom all-reduce disabled, everything else as typed before. The same error on all eight ranks.",
                "The code is unchanged for {days} days. The debug print is taken out. A leftover process that holds all eight GPUs is found and ended. No change.",
            ],
            now: "The formula knows nothing of all-reduce. At {#f}, {=outcome}.",
            then: &["What do all the failing starts have in common, and the working one not?"],
        },
        Step {
            short: "Two logs",
            title: "Two logs, side by side",
            told: &[
                "At last they open the log of the day before. The start that worked had *no* fraction on its command line: SGLang had picked {f088} itself. Every later start had carried `--mem-fraction-static {f055}` along, copied from command to command.",
            ],
            now: "At {#f}, [reserved|{=reserved}] are set aside, and {=outcome}.",
            then: &[
                "One number is worth {gain}. The {kv088} GB of KV cache in the old log are explained to the digit: [rest|{rest088}], {tokens088} tokens. The graph batch size differed as well, without any effect here: graphs are captured later, out of what is set aside.",
                "Both logs are samples in <#log|Explain my log>.",
            ],
        },
        Step {
            short: "Take along",
            title: "What to take along",
            told: &[],
            now: "Total {#total}, available {#avail}, cell {#cell} bytes. At {#f}, [reserved|{=reserved}] are set aside, and {=outcome}.",
            then: &[],
        },
    ],
    beliefs: [
        Belief {
            held: "The new kernel’s buffers pushed memory over the edge.",
            fell: "They are {share24} of what is missing.",
        },
        Belief {
            held: "The fraction is a reserve; lowering it frees memory.",
            fell: "Lowering it set {more050} more aside.",
        },
        Belief {
            held: "Total is the card: {card} GB.",
            fell: "It is what was free at the start on the fullest GPU: {total}.",
        },
        Belief {
            held: "Mapped peer memory eats the card, up to {mib224} a GPU.",
            fell: "It moves the rest by {move224}.",
        },
        Belief {
            held: "The baseline works with these numbers, so it must take another code path, or there is a hidden clamp.",
            fell: "It had another fraction.",
        },
        Belief { held: "The baseline itself is broken now.", fell: "It had never been started with {f055} before." },
    ],
    bet: Bet {
        lower: "Lower it",
        raise: "Raise it",
        lowered: "Down to {f050}: {rest050}. That was their bet, too. Lowering it sets *more* aside, and the KV cache pays.",
        raised: "Up to {f060}: {rest060}. Still short, but *less*. Each 0.01 gives {hundredth} back, and from {edge} on the server starts.",
        skip: "Or read on.",
    },
    takes: Takes {
        label: "Move the bars",
        card: "{card} GB, the card",
        measured: "{total}, free at the start",
        one_short: "one GPU {mib100} short",
        none: "no suspect",
        buffers: "{mib24} of buffers",
        mappings: "{mib224} of mappings",
        typed: "{f055}, typed",
        picked: "{f088}, picked by SGLang",
    },
    sizes: Sizes {
        label: "What is missing, and what the suspects account for, on one scale",
        gap: "missing",
        mappings: "{mib224} of mappings",
        buffers: "{mib24} of buffers",
    },
    logs: Logs {
        caption: "The arguments of the two starts, and what each difference does to the rest. The logs are reconstructed from the numbers of the record.",
        worked: "works",
        failed: "fails",
        effect: "moves the rest by",
        automatic: "picked by SGLang",
        typed: "typed",
        none: "nothing",
        sum: "in sum",
    },
    checklist: [
        "*Compare first.* The arguments of the run that works and of the run that fails, before any theory.",
        "“Not enough memory” at the start: *raise* the fraction. The message had been right all along.",
        "Out of memory in graph capture or in a long prefill: *lower* it, or make graphs and prefill chunks smaller.",
        "So there is a *band*: too low, starts, too high. It begins at 1 − available ÷ total, here {minf}.",
        "The fraction is a share of what was free before the weights, on the fullest GPU. The weights count in it.",
        "Hold the size of a suspect against the size of the gap: {mib24} against {short055}.",
        "Print the inputs of a formula before you doubt the formula.",
    ],
    puzzles: Puzzles {
        title: "Three puzzles",
        how: "Move the numbers in the sentence above, or anywhere on the page. The model checks.",
        start: "Make the failing server start.",
        both: "Room for {requests} requests of {context} tokens, and {kept} kept for graphs and activations.",
        solved: "solved",
        room: "there is room for {fit} of {requests} requests",
        kept: "only {=reserved} are set aside",
        and: ", and ",
        not_started: "it does not start yet",
        claim: "No fraction can do this",
        wrong: "One can: anything from {least} to {most}.",
        right: "Right. The room takes at least {least}, the graphs leave at most {most}. What helps is a smaller cell (a KV cache in fp8 halves it), smaller weights on each GPU, or smaller graphs.",
        otherwise: "solved, and not by the fraction alone",
    },
    walk: Walk {
        title: "What happens at start-up",
        lead: "Five steps on one picture. The numbers are those of the bars above: the worked case, a preset, or your own server after its log was read.",
        steps_label: "Steps of the start-up",
        steps: [
            WalkStep {
                short: "Init",
                title: "The GPUs find each other; total is measured",
                told: &[
                    "Each rank takes its GPU, creates the CUDA context and joins the distributed groups. NCCL and custom all-reduce take their buffers now.",
                    "Then every rank asks how much is free, and the *smallest* answer counts for all: [total|{=total}]. This is total, and it is less than the size of the card.",
                ],
                log: "Load weight begin. avail mem={=total_log} GB",
            },
            WalkStep {
                short: "Weights",
                title: "The weights are loaded; available is measured",
                told: &[
                    "The [weights|weights] take {=weights}, {=weights_share} of total. What is free now, again on the fullest GPU, is [available|{=available}].",
                    "Since release {v_draft}, the weights of a draft model are part of it.",
                ],
                log: "Load weight end. … avail mem={=available_log} GB, mem usage={=weights_log} GB.",
            },
            WalkStep {
                short: "Subtraction",
                title: "One subtraction decides",
                told: &[
                    "At {=fraction}, total × (1 − fraction) = [reserved|{=reserved}] are set aside. What is left of available is the rest: [rest|{=rest}].",
                    "And so {=outcome}.",
                ],
                log: "{=verdict_log}",
            },
            WalkStep {
                short: "KV pool",
                title: "The rest becomes the KV pool",
                told: &[
                    "The rest is divided by the bytes that one token takes on one GPU, {=cell}, and rounded down to a page: [tokens|{=pool} tokens]. The pool is allocated at once and keeps its size.",
                    "The table of which request owns which token is not in the budget; with long contexts it takes 1 GiB or more of what is set aside.",
                ],
                log: "{=pool_log}",
            },
            WalkStep {
                short: "Graphs",
                title: "Everything else lives in what was set aside",
                told: &[
                    "CUDA graphs, attention workspace and activations share [reserved|{=reserved}]. A fraction that is too high gets through the subtraction and dies here, or in the first long prefill.",
                    "What {starts} real starts on an H200 showed: afterwards most of the reserve is idle, with Llama-3.1-8B’s defaults {used} of {kept} in use. The largest need is temporary: capturing prefill graphs takes {capture_low} to {capture_high} for a moment, of which {stays_low} to {stays_high} stay. And one request that asks for input logprobs takes about {logprob} for each prompt token: at {killed} it killed a server that looked healthy.",
                ],
                log: "{=end_log}",
            },
        ],
        free: "free",
        weights: "weights",
        pool: "KV pool",
        reserved: "set aside",
        missing: "missing",
        ends: "This server does not get here. From {=edge} on it would.",
        whose: "Whose numbers",
    },
};
