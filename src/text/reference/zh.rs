//! The reference in Simplified Chinese.

use super::{Chapter, Errors, Formula, Links, Reference, entry, error};

/// All of it.
pub(super) const REFERENCE: Reference = Reference {
    title: "SGLang 服务的 KV cache 预算",
    lead: "`--mem-fraction-static` 究竟是什么的比例，给 KV cache 留下多少，遇到哪种报错该往哪边调。",
    description: "SGLang --mem-fraction-static 参考手册：公式、各项及单位、各版本的报错与处理办法、十个常见问题、术语表。",
    contents: "本页内容",
    formula: Formula {
        title: "公式",
        lines: [
            "reserved = total × (1 − fraction)",
            "rest = available − reserved",
            "tokens = ⌊rest × {gib_bytes} ÷ cell⌋",
        ],
        filled: [
            "{reserved055n} = {total_n} × (1 − {f055})",
            "{rest055n} = {avail_n} − {reserved055n}",
            "{tokens055} = ⌊{bytes055} ÷ {cell}⌋",
        ],
        told: [
            "SGLang 只在加载权重之后、分配 KV pool 之前算一次。所有 GPU 都采用空闲最少的那张卡的数值。",
            "下面是一个启动失败的服务的数值：八张卡，Kimi-K2.5，fraction 为 {f055}：",
            "如果给了 `--max-total-tokens`，token 数以它为上限，再按 page 向下取整；结果不足一个 page 时，服务拒绝启动。同一个服务用 {f088} 时，留给 KV cache {rest088}，{tokens088} 个 token。它从 {edge} 起可以启动。",
        ],
    },
    terms_title: "各项含义",
    terms: [
        entry(
            "fraction",
            "`--mem-fraction-static`，0 到 1，手动指定或由 SGLang 自选。权重和 KV cache *合起来*可以使用的、相对于 total 的比例。无单位。",
        ),
        entry(
            "total",
            "单位 GiB。分布式初始化之后、加载权重之前，空闲最少的那张卡上的*空闲*显存。不是整张卡的容量：标称 {card} GB 的卡，这里是 {total}。日志中的 “Load weight begin” 与它接近，在测过的服务器上约低 {begin_bias}。",
        ),
        entry(
            "available",
            "单位 GiB。加载权重之后，空闲最少的那张卡上的空闲显存；从 {v_draft} 版起，draft 模型的权重也已加载。这里是 {avail}。对应日志中的 “Load weight end”。",
        ),
        entry("weights", "total − available：权重，以及 KV pool 之前加载的其他内容。这里是 {weights}。"),
        entry(
            "budget",
            "total × fraction，单位 GiB：权重和 KV cache 合起来可以使用的部分。fraction 为 {f055} 时是 {budget055}。",
        ),
        entry(
            "reserved",
            "total × (1 − fraction)，单位 GiB：留给 CUDA graph、激活和 workspace 的部分。{f055} 时 {reserved055}，{f088} 时 {reserved088}。",
        ),
        entry("rest", "available − reserved，单位 GiB：留给 KV cache 的部分。为负说明服务无法启动。"),
        entry(
            "cell",
            "一个 token 在一张卡上、所有层合计的 KV cache 字节数。Kimi-K2.5 是 {cell}：{layers} 层 × ({rank} + {rope}) × 2 字节。GQA 为：层数 × 本卡的 KV head 数 × (key 宽度 + value 宽度) × 每个元素的字节数。有 sliding window 时可能不是整数。",
        ),
        entry("tokens", "以 token 计的 KV pool 大小。运行中的请求每个 token 占一个，缓存的前缀也是。"),
    ],
    units: Chapter {
        title: "单位",
        told: &[
            "1 GiB = 1024³ = {gib_bytes} 字节。SGLang 打印的 “GB” 其实是 GiB。显卡包装上的容量以 1000³ 字节的 GB 计，或者只是个型号。",
            "日志只打印两位小数。两个数各有最多 {half_log} GiB 的舍入误差，在 fraction 为 {f055} 时会给 rest 带来 ± {log_rounding} 的不确定。",
        ],
    },
    band: Chapter {
        title: "可用的 fraction 区间",
        told: &[
            "*太低*：不超过 1 − available ÷ total 时，什么也留不下。这里是 {minf}；能启动的最小三位小数是 {edge}。",
            "*太高*：预留的部分要装下 CUDA graph、激活和 workspace。如果它们需要 d GiB，fraction 最大是 1 − d ÷ total。超过它，KV pool 能分配出来，但会在捕获 CUDA graph 或第一个长 prefill 时 OOM。",
            "如果下端高于上端，*任何 fraction 都不行*。要容纳 {goal_requests} 个 {goal_context} token 的请求，这里至少需要 {goal_least}；给 graph 留 {goal_kept}，最多只能到 {goal_most}。这时只有更小的 cell、每张卡更小的权重、更小的 graph 和 chunk 才有用。",
            "在启动时空闲 {total} 的卡上，每 0.01 会在 KV cache 和预留之间移动 {hundredth}。",
        ],
    },
    errors: Errors {
        title: "各版本的报错，以及往哪边调",
        lead: "同一个参数，对不同的报错要往相反的方向调。关键看*何时*出错：计算 KV pool 大小时，调高；从分配 KV pool 开始，调低。KV pool 用满是另一回事：用完的是 token，不是显存。",
        columns: ["打印内容", "版本", "fraction", "含义，以及其他办法"],
        raise: "调高",
        lower: "调低",
        neither: "不用动",
        rows: [
            error(
                "`{refusal_046}`",
                "0.4.6 到 0.5.2、0.5.11 到 0.5.13；0.5.14 起仅在有剩余但不足一个 page 时",
                "没有给 KV cache 留下空间。也可以减小每张卡的权重：更大的 tensor parallel，或量化。",
            ),
            error("`{refusal_059}`", "0.5.3 到 0.5.9", "同上。奇怪的前缀确实会打印出来。"),
            error("`{refusal_0510}`", "0.5.10", "同上。"),
            error(
                "`{refusal_0523}`",
                "0.5.14 起",
                "同上，并给出该填的数值。它没有算上混合模型和多模态模型另外占用的部分。",
            ),
            error(
                "`Not enough GPU memory for hybrid (mamba/linear-attention) state cache`",
                "0.5.13 起",
                "运行中请求的状态放不下。也可以减小 `--max-running-requests`。",
            ),
            error(
                "`The memory capacity is unbalanced. Some GPUs may be occupied by other processes.`",
                "全部",
                "某张卡的空闲比另一张少一成以上：结束占用它的进程。不到一成时服务照常启动，由空闲最少的卡决定，没有任何提示。",
            ),
            error(
                "`CUDA out of memory`，在 “Load weight end” 和 “Memory pool end” 之间",
                "全部",
                "KV pool、请求表或 draft 模型的 KV pool 放不下。也可以缩短 `--context-length`，减小 `--max-running-requests`。",
            ),
            error(
                "`Capture cuda graph failed`",
                "全部",
                "预留的部分装不下 CUDA graph。也可以减小 `--cuda-graph-max-bs`。临界时也可能显示为 `CUDA error: out of memory`。",
            ),
            error(
                "prefill 时 `CUDA out of memory`",
                "全部",
                "先减小 `--chunked-prefill-size`，再考虑 fraction。input logprobs 每个 prompt token 约占 {logprob}。",
            ),
            error("decode 时 `CUDA out of memory`", "全部", "先减小 `--max-running-requests`，再考虑 fraction。"),
            error(
                "`KV cache pool is full. Retract requests.`",
                "全部",
                "用完的是 token，不是显存；请求会等待，之后继续。并没有坏。仅当预留的部分用不上时才调高。",
            ),
            error(
                "`max_total_tokens=… is larger than the profiled value`",
                "全部",
                "只是警告：你设的上限比放得下的还大，因此不起作用。",
            ),
        ],
    },
    measured: Chapter {
        title: "真实的服务需要多少",
        told: &[
            "在一张 H200 上用同一个版本启动了 {starts} 次：按精确的字节数计算，凡是打印了 token 数的启动，公式的结果都与之相同。",
            "SGLang 自选的预留远高于需要：Llama-3.1-8B 默认参数下预留 {kept}，启动后用了 {used}。最大的需求是暂时的：捕获 prefill graph 会临时占用 {capture_low} 到 {capture_high}，其中 {stays_low} 到 {stays_high} 不再归还。",
            "这只是一种 GPU、一个版本、一种负载。有一个 fraction 为 {killed} 的服务运行正常，直到一个请求要了 input logprobs。",
        ],
    },
    questions_title: "十个问题",
    questions: [
        entry(
            "遇到这个报错，该调高还是调低？",
            "分配 KV pool 之前报 “Not enough memory” 或 “leave no GPU memory”：调高。捕获 graph、prefill 或 decode 时 OOM：先试更小的 graph、chunk 或更少的请求，再调低。",
        ),
        entry(
            "能启动的最小值是多少？有没有既能启动、又能撑过 graph 捕获的值？",
            "最小值略高于 1 − available ÷ total，最大值是 1 − graph 和激活的需求 ÷ total。前者高于后者时，没有哪个 fraction 能两全。",
        ),
        entry(
            "是什么的比例？权重算在里面吗？",
            "是加载权重之前、空闲最少的那张卡上空闲显存的比例，不是整张卡，也不是现在的空闲。算在里面：权重和 KV cache 共用。",
        ),
        entry(
            "GPU 上明明还有空闲显存，KV pool 为什么这么小？",
            "因为 total 的 1 − fraction 被预留，服务运行起来之后大多闲置。如果请求在等 KV cache，而最重的负载下这部分仍然闲置，就按 0.01 逐步调高。",
        ),
        entry(
            "能放下多少 token、多少个最长的请求？为什么正常启动之后长 prompt 被拒绝？",
            "token 数 = rest ÷ cell，请求数 = token 数 ÷ 上下文长度，向下取整。比 KV pool 还长的 prompt 永远跑不了，而 SGLang 启动时不会拿上下文长度和 KV pool 比较。",
        ),
        entry(
            "一个 token 要多少字节？",
            "MLA：层数 × (rank + rope) × 字节数，每张卡都一样，与 tensor parallel 无关。GQA：层数 × KV head 数 ÷ tensor parallel（至少为一）× (key 宽度 + value 宽度) × 字节数；用 fp8 都会减半。",
        ),
        entry(
            "draft 模型占多少，算在谁头上？",
            "到 {v_before_draft} 版为止，它的权重和 KV pool 从预留的部分里出；从 {v_draft} 版起，权重在测量 available 之前加载，KV 计入 cell。所以升级之后，同样的 fraction 可能从合适变成太低。",
        ),
        entry(
            "两个服务能共用一张 GPU 吗？",
            "能：第二个服务把第一个剩下的显存当作 total，因此它的 fraction 是剩余部分的比例。要一个一个启动；同时启动时，一个在测量，另一个正在占用。",
        ),
        entry(
            "真正生效的是哪个值？",
            "日志里 `server_args` 那一行的值，它在 SGLang 补全你没写的参数之后打印。较早的版本读不到显存大小时会选 {f088}，有 vision tower 时自选的值还会更低。",
        ),
        entry(
            "启动之后应当留多少空闲？",
            "CUDA graph 之外，最大的 prefill chunk、图像和 logprobs 需要多少就留多少。在一张 H200 上的 {starts} 次启动需要几个 GiB；在逼近上端之前，先在负载下测量你自己的服务。",
        ),
    ],
    glossary_title: "术语表",
    glossary: [
        entry("activation（激活）", "一次 forward 运行期间占用的显存，随 prefill chunk 增大。"),
        entry("attention workspace", "attention backend 常驻的一块 buffer。"),
        entry("chunked prefill", "长 prompt 按 `--chunked-prefill-size` 个 token 分段计算。"),
        entry("CUDA graph", "为某个 batch size 录制的一次 forward。启动时在 KV pool 之后捕获，会常驻显存。"),
        entry("draft 模型", "投机解码用的小模型。"),
        entry("DP attention", "attention 采用数据并行：每个组保存自己请求的 KV cache。"),
        entry("KV cache", "之前所有 token 的 key 和 value，免得重复计算。"),
        entry("KV pool", "存放 KV cache 的一整块显存；启动时分配，不会再变大。"),
        entry("latent（MLA）", "每个 token 只存一行压缩表示，代替各个 head 的 key 和 value。"),
        entry("page", "token 按 `--page-size` 成页分配；KV pool 是整数个 page。"),
        entry("prefill、decode", "计算 prompt；逐个生成 token。"),
        entry("radix cache", "之前请求的前缀留在 KV pool 里，直到需要腾出空间。"),
        entry("rank", "一张 GPU 上的一个进程。"),
        entry("retraction", "KV pool 满了，运行中的请求交还 token，排队等待。"),
        entry("sliding window", "只保留最近若干 token 的层，有自己的 KV pool。"),
        entry("tensor parallel", "每一层切分到各个 GPU，每张卡只保存自己那一部分权重。"),
    ],
    sources: Chapter {
        title: "依据",
        told: &[
            "这里的每个数值都是生成页面时由本站的程序按公式算出来的。公式与 SGLang 0.4.6 到 0.5.23 一致，精确到最后一个 token，并用 SGLang 自己的函数和真实的启动核对过。",
            "案例是 2026 年 2 月真实的一周排查，见<#story|故事>。没有测量过的，不作断言。",
        ],
    },
    links: Links {
        page: "KV Budget",
        story: "故事",
        reference: "参考手册",
        foot: "数值在生成页面时算好；页面上没有程序，也不会发送任何内容。",
    },
};
