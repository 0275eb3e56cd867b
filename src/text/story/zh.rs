//! The story in Simplified Chinese. What the community says in English (KV cache, CUDA graph, flags) stays English.

use super::{Belief, Bet, Frame, Logs, Outcome, Puzzles, Sizes, Step, Takes, Walk, WalkStep, Words};

/// All of it.
pub(super) const WORDS: Words = Words {
    name: "中文",
    title: "负显存疑案",
    lead: "一个参数怎样耗掉了一整周：讲给大家听，免得再有人踩坑。",
    frame: Frame {
        step_of: "第 {step} 步，共 {steps} 步",
        steps: "故事的各个步骤",
        languages: "故事的语言",
        back: "上一步",
        next: "下一步：{next}",
        away: "上方显示的是你自己的数值。",
        returns: "回到故事",
        now: "图中当前",
        believed: "当时的判断",
        stands: "当时仍然相信",
        fell: "不成立：",
        whole: "单页阅读全文",
        reference: "参考手册",
        page: "到交互页面上亲手调整这些数值",
    },
    outcome: Outcome {
        short: "KV cache [rest|还差 {=short}]，服务无法启动",
        nothing: "留给 KV cache 的[rest|不足一个 page]，服务无法启动",
        starts: "留给 KV cache [rest|{=rest}]，可容纳 [tokens|{=tokens} 个 token]，服务可以启动",
        too_high: "留给 KV cache [rest|{=rest}]，但预留太少：服务能启动，之后会 OOM",
    },
    steps: [
        Step {
            short: "崩溃",
            title: "一个原本能启动的服务",
            told: &[
                "八张 RTX PRO 6000，走 PCIe，没有 NVLink，用 SGLang 跑 Kimi-K2.5，tensor parallel 为 {gpus}。投机解码反而更慢：{spec_tps} token/s，不开时是 {base_tps} token/s。原因是每次 verify 要经 NCCL 做 {allreduces} 次 all-reduce。",
                "于是他们换上自定义 all-reduce，命令行里带着 `--mem-fraction-static {f055}`。权重加载完成后，所有 rank 一起退出：",
                "`{refusal}`",
            ],
            now: "启动时空闲 [total|{=total}]，加载权重后还剩 [available|{=available}]，SGLang 要预留 [reserved|{=reserved}]。fraction 为 {#f} 时，{=outcome}。",
            then: &[],
        },
        Step {
            short: "下注",
            title: "先下注：调高，还是调低？",
            told: &[
                "报错让你调高。可参数名里写着 *static*，像是一块固定留出来的空间；而服务刚刚因为显存不够退出，少要一点似乎更稳妥。",
                "试一次，光加载权重就要 {minutes} 分钟。你会把 `--mem-fraction-static` 往哪边调？",
            ],
            now: "fraction 为 {#f} 时，预留 [reserved|{=reserved}]，{=outcome}。",
            then: &[],
        },
        Step {
            short: "调低",
            title: "调到 {f050}：{minutes} 分钟之后，同样的报错",
            told: &[
                "他们选择调低。权重加载了 {minutes} 分钟，随后所有 rank 打出同样的报错，只是里面的数字换成了 {f050}。",
                "参数名有误导性。static 指的不是预留的部分，而是[budget|权重和 KV cache 合起来可以用的部分]；预留的是 1 − fraction。{f055} 时预留 [reserved|{reserved055}]，{f050} 时预留 [reserved|{reserved050}]。调低反而从 KV cache *拿走*了 {more050}。",
            ],
            now: "每 0.01 相当于 {=hundredth}。fraction 为 {#f} 时，{=outcome}。",
            then: &[],
        },
        Step {
            short: "{card} GB",
            title: "“这张卡有 {card} GB”",
            told: &[
                "他们去读源码：`rest = available − total × (1 − fraction)`。把 total 当成整张卡的 {card} GB，手算得到 [rest|{rest096}]。看着很像，但服务算的不是这个。",
                "调用方传进来的是另一个数：各 GPU 完成分布式初始化之后、加载权重之前的*空闲*显存，并且取所有 GPU 中*最小*的那个，这里是 [total|{total}]。用两位小数手算是 {byhand055}。",
            ],
            now: "total 为 {#total}、available 为 {#avail} 时，rest 是 [rest|{=rest}]。",
            then: &[
                "所以一张卡决定所有卡。其中一张在加载权重之前少 {mib100}，rest 会变动 {up100}：是变大，因为预留也少了。如果加载之后同样少这么多，则变动 {down100}。",
            ],
        },
        Step {
            short: "嫌疑",
            title: "{mib24} 对 {short055}",
            told: &[
                "嫌疑落在新 kernel 上。它在每张卡上申请三块 buffer：meta、data 和 rank data，各 {mib8}，合计 {mib24}。每张卡还要打开 {handles} 个 IPC handle，映射其他卡的 buffer，最多 {mib224}。",
            ],
            now: "从 total 和 available 中都扣掉之后，rest 是 [rest|{=rest}]，变动了 {=moved}。",
            then: &[
                "如果在测量 total 之前就已占用，它们让 rest 变动 {move24} 和 {move224}；如果在之后，就按原大小计。两种说法都有人主张，其实都无关紧要：缺口是 {short055}。*无罪。*",
                "而且原版 SGLang 根本不会启用它：超过两张只靠 PCIe 互联的 GPU 时，custom all-reduce 会自动关闭。这里是用环境变量强行打开的。",
            ],
        },
        Step {
            short: "打印",
            title: "一行 debug 打印给出答案",
            told: &[
                "不再猜了。他们加了一行代码，把公式的输入打印出来，代价是再启动一次。{seconds} 秒之后，八个 rank 打出同样的内容：",
                "`{print}`",
                "没有哪个 rank 特殊，也没有隐藏的 clamp，源码怎么写就怎么算。由这三位小数可以推出 {tokens055} 个 token，打印的是 {printed}，落在舍入带来的 ± {rounding} 之内。",
            ],
            now: "{#avail} − {#total} × (1 − {#f}) = [rest|{=rest}]；除以每个 token {#cell} 字节，得 [tokens|{=tokens} 个 token]。",
            then: &[],
        },
        Step {
            short: "基线",
            title: "连基线也坏了",
            told: &[
                "为了确认，他们启动最普通的基线：NCCL，关闭 custom all-reduce，其余参数照旧。八个 rank 报出同样的错误。",
                "代码已经 {days} 天没有改动，debug 打印已经去掉，一个占着八张卡的残留进程也找到并结束了。没有变化。",
            ],
            now: "公式里没有 all-reduce。fraction 为 {#f} 时，{=outcome}。",
            then: &["所有失败的启动有什么共同点，而成功的那次没有？"],
        },
        Step {
            short: "两份日志",
            title: "两份日志，并排来看",
            told: &[
                "最后他们翻开前一天的日志。成功的那次，命令行里*没有*写 fraction，{f088} 是 SGLang 自己选的。之后的每次启动都带着 `--mem-fraction-static {f055}`，从一条命令复制到下一条。",
            ],
            now: "fraction 为 {#f} 时，预留 [reserved|{=reserved}]，{=outcome}。",
            then: &[
                "一个数字，相差 {gain}。旧日志里 {kv088} GB 的 KV cache 分毫不差：[rest|{rest088}]，{tokens088} 个 token。graph 的最大 batch size 也不同，但在这里没有影响：CUDA graph 之后才捕获，用的是预留的部分。",
                "两份日志都可以在 <#log|Explain my log> 里作为样例打开。",
            ],
        },
        Step {
            short: "带走什么",
            title: "记住这几条",
            told: &[],
            now: "total {#total}，available {#avail}，cell {#cell} 字节。fraction 为 {#f} 时，预留 [reserved|{=reserved}]，{=outcome}。",
            then: &[],
        },
    ],
    beliefs: [
        Belief { held: "新 kernel 的 buffer 把显存挤爆了。", fell: "它只占缺口的 {share24}。" },
        Belief {
            held: "fraction 是预留量，调低就能腾出显存。", fell: "调低之后又多预留了 {more050}。"
        },
        Belief {
            held: "total 就是整张卡：{card} GB。", fell: "它是启动时空闲最少的那张卡上的空闲显存：{total}。"
        },
        Belief {
            held: "映射其他卡的显存会吃掉本卡，每张最多 {mib224}。", fell: "它让 rest 变动 {move224}。"
        },
        Belief {
            held: "基线用同样的数值就能跑，所以它走了别的代码路径，或者有隐藏的 clamp。",
            fell: "它的 fraction 不一样。",
        },
        Belief { held: "现在连基线本身也坏了。", fell: "它以前从来没有用 {f055} 启动过。" },
    ],
    bet: Bet {
        lower: "调低",
        raise: "调高",
        lowered: "降到 {f050}：{rest050}。他们当时也是这么押的。调低会预留*更多*，代价由 KV cache 承担。",
        raised: "升到 {f060}：{rest060}。仍然不够，但缺口*变小*了。每 0.01 还回 {hundredth}，从 {edge} 起服务可以启动。",
        skip: "也可以直接往下读。",
    },
    takes: Takes {
        label: "改变图中的数值",
        card: "{card} GB，整张卡",
        measured: "{total}，启动时空闲",
        one_short: "一张卡少 {mib100}",
        none: "都不扣除",
        buffers: "{mib24} 的 buffer",
        mappings: "{mib224} 的映射",
        typed: "{f055}，手动指定",
        picked: "{f088}，SGLang 自选",
    },
    sizes: Sizes {
        label: "缺口与两个嫌疑，同一比例",
        gap: "缺口",
        mappings: "{mib224} 的映射",
        buffers: "{mib24} 的 buffer",
    },
    logs: Logs {
        caption: "两次启动的参数，以及每处差异让 rest 变动多少。日志是按记录下来的数值还原的。",
        worked: "成功",
        failed: "失败",
        effect: "rest 的变动",
        automatic: "SGLang 自选",
        typed: "手动指定",
        none: "无",
        sum: "合计",
    },
    checklist: [
        "*先比较。*在提出任何猜想之前，先对照成功和失败两次启动的参数。",
        "启动时报 “Not enough memory”：把 fraction *调高*。报错一直是对的。",
        "捕获 CUDA graph 或长 prefill 时 OOM：*调低*，或者减小 graph 和 prefill chunk。",
        "所以存在一个*区间*：太低、能启动、太高。下端是 1 − available ÷ total，这里是 {minf}。",
        "fraction 是一个比例，基数是加载权重之前、空闲最少的那张卡上的空闲显存；权重算在里面。",
        "拿嫌疑的大小和缺口的大小比一比：{mib24} 对 {short055}。",
        "怀疑公式之前，先把公式的输入打印出来。",
    ],
    puzzles: Puzzles {
        title: "三道题",
        how: "修改上面句子里的数字，或者页面上任何一处。由页面自动判题。",
        start: "让这个失败的服务启动起来。",
        both: "容纳 {requests} 个 {context} token 的请求，并给 CUDA graph 和激活留出 {kept}。",
        solved: "已解出",
        room: "只能容纳 {requests} 个请求中的 {fit} 个",
        kept: "只预留了 {=reserved}",
        and: "，",
        not_started: "还不能启动",
        claim: "任何 fraction 都做不到",
        wrong: "可以做到：{least} 到 {most} 之间都行。",
        right: "没错。要放得下至少需要 {least}，要给 graph 留够最多只能到 {most}。有用的办法：更小的 cell（KV cache 用 fp8 会减半）、每张卡更小的权重，或更小的 graph。",
        otherwise: "已解出，而且不是只靠 fraction",
    },
    walk: Walk {
        title: "启动时发生了什么",
        lead: "一张图，五步。用的是上方的数值：这个案例、某个预设，或者读过日志之后你自己的服务。",
        steps_label: "启动的各个步骤",
        steps: [
            WalkStep {
                short: "初始化",
                title: "各 GPU 建立通信组，测量 total",
                told: &[
                    "每个 rank 占用自己的 GPU，创建 CUDA context，加入分布式通信组。NCCL 和 custom all-reduce 此时申请各自的 buffer。",
                    "随后每个 rank 查询空闲显存，取*最小*的那个给所有 rank 用：[total|{=total}]。这就是 total，它小于整张卡的容量。",
                ],
                log: "Load weight begin. avail mem={=total_log} GB",
            },
            WalkStep {
                short: "权重",
                title: "加载权重，测量 available",
                told: &[
                    "[weights|权重]占 {=weights}，是 total 的 {=weights_share}。此时空闲最少的那张卡上还剩 [available|{=available}]。",
                    "从 {v_draft} 版起，draft 模型的权重也算在里面。",
                ],
                log: "Load weight end. … avail mem={=available_log} GB, mem usage={=weights_log} GB.",
            },
            WalkStep {
                short: "减法",
                title: "一次减法决定一切",
                told: &[
                    "fraction 为 {=fraction} 时，预留 total × (1 − fraction) = [reserved|{=reserved}]。available 扣除它之后就是 rest：[rest|{=rest}]。",
                    "也就是说，{=outcome}。",
                ],
                log: "{=verdict_log}",
            },
            WalkStep {
                short: "KV pool",
                title: "rest 变成 KV pool",
                told: &[
                    "rest 除以一个 token 在一张卡上占的字节数，即 {=cell}，再按 page 向下取整：[tokens|{=pool} 个 token]。KV pool 一次分配完毕，大小不再改变。",
                    "记录哪个请求拥有哪些 token 的表不在预算之内；上下文很长时，它会从预留的部分再拿走 1 GiB 甚至更多。",
                ],
                log: "{=pool_log}",
            },
            WalkStep {
                short: "CUDA graph",
                title: "其余的一切都靠预留的部分",
                told: &[
                    "CUDA graph、attention workspace 和激活共用 [reserved|{=reserved}]。fraction 太高时，减法能过，却会死在这里，或者死在第一个长 prefill 上。",
                    "一张 H200 上 {starts} 次真实启动的结果：启动之后预留的部分大多闲置，Llama-3.1-8B 默认参数下 {kept} 只用了 {used}。最大的需求是暂时的：捕获 prefill graph 会临时占用 {capture_low} 到 {capture_high}，其中 {stays_low} 到 {stays_high} 不再归还。另外，请求 input logprobs 时每个 prompt token 约占 {logprob}：fraction 为 {killed} 时，一个这样的请求就让看似健康的服务退出了。",
                ],
                log: "{=end_log}",
            },
        ],
        free: "空闲",
        weights: "权重",
        pool: "KV pool",
        reserved: "预留",
        missing: "缺口",
        ends: "这个服务到不了这一步；fraction 从 {=edge} 起就可以。",
        whose: "数值来源",
    },
};
