"""Train a small GPT on random games of Othello, and look into it (``pip install 'othello-env[torch]'``).

    python scripts/train/sequence_gpt.py --out runs/gpt.safetensors
    othello-env benchmark sequence:model=scripts/train/sequence_gpt.py:small,weights=runs/gpt.safetensors

The model reads the moves of a game as tokens and says which token follows. It sees no board and no rules, and each game
is new: the games are made while it learns. At each point of the curve the recipe prints how often the likeliest token
is illegal, and the probability of all illegal tokens. At the end it prints four more things: the compression and
distinction of `othello_env.sequences.measure_sequences`; how well a linear probe reads the board from each layer, as
"mine and yours" and as "black and white" (Nanda's finding is that the first is far easier); whether its moves follow a
disc that is turned over inside a layer; and its scores and rating as a player, which plays the likeliest legal move.

The names of the tensors are those of minGPT, which Othello-GPT has too. So a published checkpoint of Othello-GPT loads:
``sequence:model=scripts/train/sequence_gpt.py:othello_gpt,weights=gpt_synthetic.ckpt``.

The weights, the curve (.json, .png) and TensorBoard's events (a folder) are written to --out and beside it at each
point of the curve: ``tensorboard --logdir runs``. --init continues from the weights of an earlier run; then --first
should be the number of batches that this run has seen, so that the games are new.
"""

import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

try:
    import torch
    import tyro
    from torch import nn
    from torch.nn import functional
    from torch.utils.tensorboard import SummaryWriter
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[torch]'")

from othello_agents.network.sequence import SequenceAgent, load_weights
from othello_env.arena import measure_progress, progress_text
from othello_env.drawing.charts import CurvePoint, learning_chart, png
from othello_env.games.othello.tokens import vocabulary_of
from othello_env.sequences import SequenceStream, draw_cases, measure_interventions, measure_probes, measure_sequences
from othello_env.support.files import write_file, write_json
from othello_env.support.networks import NetworkFile


@dataclass
class Args:
    """The options of the command."""

    out: Path = Path("runs/gpt.safetensors")  # the file of the weights
    steps: int = 17_000  # steps of training; half an hour of one CPU core
    seconds: float = float("inf")  # end sooner, after this training; on a CPU, the sum over its cores
    every: int = 250  # steps between points of the curve
    games: int = 400  # games of each measurement
    pairs: int = 300  # pairs of sequences for compression and distinction, at the end
    probe_games: int = 1500  # games of the probes; a third of them is held out
    cases: int = 1000  # cases of the interventions
    scale: float = 20.0  # the length of an intervention, in multiples of the smallest one
    match: int = 100  # games of each match at the end, and games on the ladder; an even number
    device: str = "cuda" if torch.cuda.is_available() else "cpu"
    size: Literal[4, 6, 8] = 8  # size of the board
    vocabulary: Literal["othello-gpt", "metaothello"] = "othello-gpt"  # with metaothello, passes are tokens
    seed: int = 1  # the seed of everything random
    threads: int = torch.get_num_threads() if "OMP_NUM_THREADS" in os.environ else 1  # PyTorch's, on a CPU
    first: int = 0  # the number of the first batch of games
    init: str = ""  # weights to begin with; the default is random weights
    layers: int = 4
    width: int = 128
    heads: int = 4
    batch: int = 32  # games in a step
    rate: float = 2e-3  # the highest learning rate of AdamW; it rises for --warmup steps and falls to 0 until --steps
    warmup: int = 100
    decay: float = 0.01  # the weight decay
    gradient: float = 1.0  # the largest norm of a gradient


class Attention(nn.Module):
    """Causal self-attention with several heads."""

    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.key, self.query, self.value = (nn.Linear(width, width) for _ in range(3))
        self.proj = nn.Linear(width, width)
        self.register_buffer("mask", torch.tril(torch.ones(length, length))[None, None])
        self.heads = heads

    def forward(self, x: Any) -> Any:
        n, t, width = x.shape
        q, k, v = (f(x).view(n, t, self.heads, -1).transpose(1, 2) for f in (self.query, self.key, self.value))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(n, t, width))


class Block(nn.Module):
    """Attention and a layer of neurons, each added to the residual stream."""

    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = Attention(width, heads, length)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Any) -> Any:
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    """From tokens (N, T) to logits (N, T, V). T is at most `length`."""

    def __init__(self, tokens: int, length: int, layers: int, width: int, heads: int) -> None:
        super().__init__()
        self.tok_emb = nn.Embedding(tokens, width)
        self.pos_emb = nn.Parameter(torch.zeros(1, length, width))
        self.blocks = nn.Sequential(*(Block(width, heads, length) for _ in range(layers)))
        self.ln_f = nn.LayerNorm(width)
        self.head = nn.Linear(width, tokens, bias=False)
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=0.02)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)

    def forward(self, tokens: Any) -> Any:
        return self.head(self.ln_f(self.layers(tokens)[-1]))

    def layers(self, tokens: Any) -> list[Any]:
        """The residual stream after the embedding and after each block, each (N, T, width)."""
        found = [self.tok_emb(tokens) + self.pos_emb[:, : tokens.shape[1]]]
        for block in self.blocks:
            found.append(block(found[-1]))
        return found


def small(size: int, vocabulary: str = "othello-gpt", layers: int = 4, width: int = 128, heads: int = 4) -> GPT:
    """The model of this recipe, by default with its default options."""
    words = vocabulary_of(vocabulary, size)
    return GPT(words.count, words.length - 1, layers, width, heads)


def othello_gpt(size: int) -> GPT:
    """The model of the repository likenneth/othello_world, whose boards are 8x8."""
    return GPT(61, 59, layers=8, width=512, heads=8)


def main(arguments: list[str] | None = None) -> None:
    args = tyro.cli(Args, args=arguments, description=__doc__)
    if args.out.exists():
        sys.exit(f"{args.out} exists; give another --out")
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    game = f"othello:size={args.size}"
    stream = SequenceStream(args.batch, game=game, vocabulary=args.vocabulary, seed=args.seed, first=args.first)
    words = stream.vocabulary
    options = {name: getattr(args, name) for name in ("vocabulary", "layers", "width", "heads")}
    model = small(args.size, **options)
    if args.init:
        load_weights(model, args.init)
    model = model.to(args.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.rate, weight_decay=args.decay, betas=(0.9, 0.95))

    settings = {name: value for name, value in asdict(args).items() if name != "out"}
    card = {"command": " ".join(["python", *sys.argv]), "settings": settings}
    title = f"A GPT learns {args.size}x{args.size} Othello from random games"
    print(title, flush=True)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    writer = SummaryWriter(args.out.with_suffix(""))
    curve: list[dict[str, Any]] = []
    seconds, loss = 0.0, np.log(words.count)  # an untrained model finds all tokens about equally likely
    clock = time.perf_counter if torch.device(args.device).type != "cpu" else time.process_time
    for step, batch in enumerate(stream):
        done = seconds >= args.seconds or step == args.steps
        if done or step % args.every == 0:
            what = {"games": args.games, "pairs": args.pairs if done else 0, "game": game}
            report = measure_sequences(model, vocabulary=args.vocabulary, **what)
            played = (args.first + step) * args.batch
            point = {"step": step, "games": played, "seconds": round(seconds, 1), "loss": round(float(loss), 4)}
            point |= {name: value for name, value in report.row().items() if done or "legal" in name or "error" in name}
            curve.append(point)
            print(
                f"step {step}  {played:,} games  {seconds:.0f} s  loss {loss:.3f}  illegal first choice "
                f"{report.error.value:.2%}  probability of illegal moves {1 - report.legal_mass.value:.2%}",
                flush=True,
            )
            for name in ("loss", "error", "legal_mass"):
                writer.add_scalar(name, point[name], played)
            tensors = {name: tensor.cpu().numpy() for name, tensor in model.state_dict().items()}
            NetworkFile(tensors, "sequence_gpt.py:small", args.size, options, card | point).write(args.out)
            write_json(args.out.with_suffix(".json"), card | {"curve": curve})
            write_file(args.out.with_suffix(".png"), png(learning_chart(title, "", chart(curve), "games", "share")))
        if done:
            break

        started = clock()
        for group in optimizer.param_groups:
            group["lr"] = args.rate * min((step + 1) / args.warmup, 1.0) * (1 - step / args.steps)
        rows = torch.from_numpy(batch.tokens.astype(np.int64)).to(args.device)
        logits = model(rows[:, :-1])
        error = functional.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten(), ignore_index=0)
        optimizer.zero_grad()
        error.backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.gradient)
        optimizer.step()
        loss = error.item()
        if not np.isfinite(loss):
            sys.exit("the training has diverged; a lower --rate may help")
        seconds += clock() - started
    writer.close()

    for name in ("compression", "precision", "recall"):
        share = getattr(report, name)
        print(
            f"{'distinction ' * (name != 'compression')}{name} {share.value:.3f} ({share.low:.3f} to {share.high:.3f})"
        )
    what = {"game": game, "vocabulary": args.vocabulary}
    probes = measure_probes(model, small(args.size, **options).to(args.device), games=args.probe_games, **what)
    print(f"linear probes by layer:\n{probes}")
    write_file(args.out.with_suffix(".probes.png"), probes.picture())
    cases, turned = draw_cases(args.cases, **what), []
    layers = zip(model.blocks, probes.probes["mine and yours"][1:], strict=True)  # layer 0 is the embedding
    for layer, hook in enumerate(layers, start=1):
        found = measure_interventions(model, [hook], cases, scale=args.scale)
        print(f"errors with a disc turned in layer {layer}: {found}")
        turned.append(found.row())
    agent = SequenceAgent(model, args.size, args.vocabulary)
    progress = measure_progress(agent, game=f"othello:size={args.size}", games=args.match)
    print(f"as a player: {progress_text(progress)}")
    write_json(
        args.out.with_suffix(".json"),
        card | {"curve": curve, "probes": probes.rows(), "interventions": turned, "player": progress},
    )
    print(f"{args.out} has the weights; the curve and TensorBoard's events are beside it")


def chart(curve: list[dict[str, Any]]) -> dict[str, list[CurvePoint]]:
    """The two lines of the picture."""
    errors = [CurvePoint(p["games"], p["seconds"], p["error"], *p["error95"]) for p in curve]
    masses = [
        CurvePoint(p["games"], p["seconds"], 1 - p["legal_mass"], *(1 - q for q in p["legal_mass95"][::-1]))
        for p in curve
    ]
    return {"illegal first choice": errors, "probability of illegal moves": masses}


if __name__ == "__main__":
    main()
