"""Train a policy and value network by self-play with tree search in JAX (``pip install 'othello-env[jax]'``).

    python scripts/train/jax_alphazero.py --size 6 --out runs/jax_az.safetensors --seconds 600
    python scripts/train/jax_alphazero.py --size 6 --out runs/more.safetensors --init runs/jax_az.safetensors
    python scripts/train/jax_alphazero.py --out runs/az8.safetensors --games 1024 --simulations 32 --minibatch 4096

The third command, for a GPU, was never run. The method is Gumbel AlphaZero (Danihelka et al., 2022) with the search of
mctx. An iteration plays N whole games at once, spread over all devices. The policy learns the improved policy that the
search returns, and the value the game's result. FILE:network=scripts/train/jax_alphazero.py:make,simulations=64 is the
agent with a search. Files of a changed `Net` do not fit. The agent and its learning curve (.json, .png) are written to
--out and beside it at each point of the curve, and TensorBoard's events to a folder, if PyTorch and tensorboard are
installed.
"""

import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

try:
    import jax
    import jax.numpy as jnp
    import mctx
    import optax
    import tyro
    from flax import linen as nn
    from jax.sharding import Mesh, NamedSharding, PartitionSpec
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[jax]'")

try:
    from torch.utils.tensorboard import SummaryWriter
except ImportError:
    SummaryWriter = None

import othello_env.jax
from othello_agents.network import NeuralAgent
from othello_env.arena import measure_progress, progress_text, scalars
from othello_env.drawing import learning_curve
from othello_env.games.openings import Openings
from othello_env.games.othello import symmetries
from othello_env.support.files import write_json


@dataclass
class Args:
    """The options of the command."""

    out: Path = Path("runs/jax_alphazero.safetensors")  # the file of the agent
    iterations: int = 1_000_000_000  # the most iterations; --seconds may end the run sooner
    seconds: float = 3600.0  # seconds of training, to the end of an iteration; neither measurements nor compiling count
    init: str = ""  # the agent of an earlier run, to begin with; the default is random weights
    every: int = 10  # iterations between points of the curve
    match: int = 100  # games of each match of the curve, and games on the ladder; an even number
    size: Literal[4, 6, 8] = 8  # size of the board
    seed: int = 1  # the seed of everything random
    games: int = 128  # N, the games of an iteration; all are played at once
    simulations: int = 16  # simulations of the search for each move
    considered: int = 8  # the most moves that a search compares
    random_plies: int = 20  # the most random plies at a game's start on 8x8; in proportion fewer on smaller boards
    window: int = 100_000  # the newest positions that are kept to learn from; at least those of an iteration
    reuse: float = 4.0  # how many times the network learns from a position, on average
    minibatch: int = 256  # positions in one change of the weights
    rate: float = 1e-3  # the learning rate of AdamW
    decay: float = 1e-4  # the weight decay of AdamW


YARDSTICK = "alphabeta:depth=2,eval=weighted"  # the opponent of the network without search
CHANNELS, BLOCKS = 32, 2
MESH = Mesh(np.array(jax.devices()), ("games",))  # all devices


class Net(nn.Module):
    """A residual network. From boards (N, S, S, 2) to logits (N, A) and values (N,), -1 to 1."""

    @nn.compact
    def __call__(self, boards: jax.Array) -> tuple[jax.Array, jax.Array]:
        planes = jnp.concatenate([boards, othello_env.jax.legal_moves(boards)[..., jnp.newaxis]], axis=-1)
        x = nn.relu(nn.Conv(CHANNELS, (3, 3))(planes.astype(jnp.float32)))  # without the third plane it learns worse
        for _ in range(BLOCKS):
            x = nn.relu(x + nn.Conv(CHANNELS, (3, 3))(nn.relu(nn.Conv(CHANNELS, (3, 3))(x))))
        moves = nn.Dense(1, kernel_init=nn.initializers.normal(0.01))(x).reshape(len(x), -1)
        moves += self.param("squares", nn.initializers.zeros, (moves.shape[1],))
        flat = jnp.concatenate([x.mean(axis=(1, 2)), nn.relu(nn.Dense(1)(x)).reshape(len(x), -1)], axis=1)
        value = nn.Dense(1, kernel_init=nn.initializers.normal(0.01))(nn.relu(nn.Dense(64)(flat)))
        return jnp.pad(moves, ((0, 0), (0, 1))), jnp.tanh(value[:, 0])  # the pass is legal only alone


def make(size: int, seed: int = 0) -> tuple[Any, Any]:
    """The network as `othello_env.jax.Network` takes it: ``(apply, params)``."""
    return Net().apply, Net().init(jax.random.key(seed), jnp.zeros((1, size, size, 2), bool))


def masked(logits: jax.Array, mask: jax.Array) -> jax.Array:
    return jnp.where(mask, logits, -1e9)


def player(args: Args) -> Any:
    """The function that plays the games of an iteration: from params and a key to arrays (T, N, ...), T plies."""
    most = args.random_plies * args.size**2 // 64
    starts = [Openings.random(othello_env.Othello(args.size), k % (most + 1), k) for k in range(16_384)]
    env = othello_env.jax.Othello(args.size, openings=starts)
    apply, plies = Net().apply, 2 * (args.size**2 - 4)  # at most so many plies, with the passes
    spread = NamedSharding(MESH, PartitionSpec("games"))

    def simulate(params: Any, _: jax.Array, action: jax.Array, state: Any) -> tuple[Any, Any]:
        """Mctx's recurrent function, one ply on. The next player is the other, so values change sign."""
        after = jax.vmap(env.step)(state, action)
        logits, value = apply(params, after.observation)
        reward = jnp.take_along_axis(after.rewards, state.current_player[:, None], axis=1)[:, 0]
        discount, value = jnp.where(after.terminated, 0.0, -1.0), jnp.where(after.terminated, 0.0, value)
        prior = masked(logits, after.legal_action_mask)
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=prior, value=value), after

    def ply(params: Any, state: Any, key: jax.Array) -> tuple[Any, dict[str, jax.Array]]:
        logits, value = apply(params, state.observation)
        root = mctx.RootFnOutput(prior_logits=masked(logits, state.legal_action_mask), value=value, embedding=state)
        how = {"invalid_actions": ~state.legal_action_mask, "max_num_considered_actions": args.considered}
        scale = {"value_scale": 0.5, "rescale_values": False}  # as in the paper's board games
        how["qtransform"] = lambda *of: mctx.qtransform_completed_by_mix_value(*of, **scale)
        found = mctx.gumbel_muzero_policy(params, key, root, simulate, args.simulations, **how)
        after = jax.vmap(env.step)(state, found.action)
        row = {"boards": state.observation, "mask": state.legal_action_mask, "policy": found.action_weights}
        return after, row | {"reward": after.rewards[:, 0], "mover": state.current_player, "played": ~state.terminated}

    def play(params: Any, key: jax.Array) -> dict[str, jax.Array]:
        begin, search = jax.random.split(key)
        state = jax.vmap(env.init)(jax.lax.with_sharding_constraint(jax.random.split(begin, args.games), spread))
        rows = jax.tree.map(lambda x: jnp.zeros((plies, *x.shape), x.dtype), jax.eval_shape(ply, params, state, key)[1])

        def one_ply(carry: Any) -> Any:
            t, state, rows = carry
            state, row = ply(params, state, jax.random.fold_in(search, t))
            return t + 1, state, jax.tree.map(lambda all_rows, new: all_rows.at[t].set(new), rows, row)

        *_, rows = jax.lax.while_loop(lambda carry: ~carry[1].terminated.all(), one_ply, (0, state, rows))
        value = rows["reward"].sum(axis=0) * jnp.where(rows["mover"] == 0, 1, -1)
        return {"value": value} | {name: rows[name] for name in ("boards", "mask", "policy", "played")}

    return jax.jit(play)


def learner(args: Args, optimizer: Any) -> Any:
    """The function of a change of the weights: from (params, the optimiser's state) to the same and losses."""
    apply, actions = Net().apply, args.size**2 + 1
    moved = np.array([symmetries.transform_actions(np.arange(actions), k, args.size) for k in range(symmetries.COUNT)])
    came = np.argsort(moved, axis=1)  # for each symmetry, the action that becomes each action

    def loss(params: Any, batch: dict[str, jax.Array], k: jax.Array) -> Any:
        order = jnp.asarray(came)[k]
        boards = batch["boards"].reshape(-1, args.size**2, 2)[:, order[:-1]]
        logits, value = apply(params, boards.reshape(batch["boards"].shape))
        policy = jax.nn.log_softmax(masked(logits, batch["mask"][:, order]))
        losses = -(batch["policy"][:, order] * policy).sum(axis=1).mean(), jnp.square(value - batch["value"]).mean()
        return sum(losses), losses

    def change(learning: tuple[Any, Any], batch: dict[str, jax.Array], k: jax.Array) -> Any:
        gradients, losses = jax.grad(loss, has_aux=True)(learning[0], batch, k)
        updates, memory = optimizer.update(gradients, learning[1], learning[0])
        return (optax.apply_updates(learning[0], updates), memory), jnp.stack(losses)

    return jax.jit(change)


def main(arguments: list[str] | None = None) -> None:
    args = tyro.cli(Args, args=arguments, description=__doc__)
    if args.out.exists():
        sys.exit(f"{args.out} exists; give another --out")
    if args.window < (most := 2 * args.games * (args.size**2 - 4)) or args.games % len(jax.devices()):
        sys.exit(f"--window must be at least {most}, and --games a multiple of the {len(jax.devices())} devices")
    apply, params = make(args.size, args.seed)
    if args.init:
        params = othello_env.jax.Network.load(args.init, make).params
    network = othello_env.jax.Network(apply, params, args.size, f"{os.path.relpath(__file__)}:make")
    optimizer = optax.adamw(args.rate, weight_decay=args.decay)
    learning = jax.device_put((params, optimizer.init(params)), NamedSharding(MESH, PartitionSpec()))  # on each device
    # The positions to learn from; `positions` counts all that were ever played.
    n, actions = args.window, args.size**2 + 1
    kept = {"boards": np.zeros((n, args.size, args.size, 2), bool), "mask": np.zeros((n, actions), bool)}
    kept |= {"policy": np.zeros((n, actions), np.float32), "value": np.zeros(n, np.float32)}
    # Both functions are compiled here, before the clock runs.
    play, change = player(args).lower(learning[0], jax.random.key(0)).compile(), learner(args, optimizer)
    first = np.zeros(args.minibatch, int)
    jax.block_until_ready(change(learning, {name: array[first] for name, array in kept.items()}, np.int64(0)))

    settings = {name: value for name, value in asdict(args).items() if name != "out"}
    card = {"command": " ".join(["python", *sys.argv]), "settings": settings}
    title = f"AlphaZero in JAX, {args.size}x{args.size}, seed {args.seed}"
    print(title, flush=True)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    writer = SummaryWriter(args.out.with_suffix("")) if SummaryWriter else None
    losses: dict[str, float] = {}
    curve: list[dict[str, Any]] = []
    games, positions, started = 0, 0, time.perf_counter()
    for iteration in range(args.iterations + 1):
        seconds = time.perf_counter() - started
        done = seconds >= args.seconds or iteration == args.iterations
        if done or iteration % args.every == 0:
            network.params = learning[0]
            how = {"game": f"othello:size={args.size}", "games": args.match}
            progress = measure_progress(NeuralAgent(network, simulations=args.simulations), **how)
            alone = measure_progress(NeuralAgent(network), **how, opponents=(YARDSTICK,), rating=False)
            progress["without search"] = alone["scores"]
            curve.append({"iteration": iteration, "games": games, "seconds": round(seconds, 1)} | losses | progress)
            scores = f"{progress_text(progress)}  without search {alone['scores'][YARDSTICK]:.2f}"
            print(f"iteration {iteration}  {games:,} games  {seconds:.0f} s  {scores}", flush=True)
            for name, value in scalars(progress).items() if writer else ():
                writer.add_scalar(name, value, games)
            network.training = card | curve[-1]
            network.save(args.out)
            write_json(args.out.with_suffix(".json"), card | {"curve": curve})
            learning_curve(args.out.with_suffix(".png"), title, curve, "games")
            started = time.perf_counter() - seconds  # measurements do not count
        if done:
            break

        rng = np.random.default_rng([args.seed, iteration])
        key = jax.random.key(rng.integers(2**31))
        rows = {name: np.asarray(array) for name, array in play(learning[0], key).items()}
        played, before = rows.pop("played"), positions
        positions += int(played.sum())
        for name, array in kept.items():  # the newest positions replace the oldest
            array[np.arange(before, positions) % n] = rows[name][played]
        changes = int(positions * args.reuse / args.minibatch) - int(before * args.reuse / args.minibatch)
        each_loss = []
        for _ in range(changes):
            chosen, k = rng.integers(min(positions, n), size=args.minibatch), rng.integers(symmetries.COUNT)
            learning, loss = change(learning, {name: array[chosen] for name, array in kept.items()}, k)
            each_loss.append(loss)
        means = np.mean(each_loss, axis=0).tolist() if each_loss else []
        if not np.isfinite(means).all():
            sys.exit("the training has diverged; a lower --rate may help")
        losses = {name: round(mean, 4) for name, mean in zip(("policy", "value"), means, strict=False)}
        games += args.games
        for name, loss in losses.items() if writer else ():
            writer.add_scalar(f"losses/{name}", loss, games)
    if writer:
        writer.close()
    print(f"{args.out} is the agent; its curve is beside it")
    print(f"next: othello-env benchmark {args.out}:network={network.function},simulations=16 --size {args.size}")


if __name__ == "__main__":
    main()
