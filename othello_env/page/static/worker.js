// The thread in which the agent of a file without a server thinks.

import { Rules } from "./rules.js";
import { Agent, unpacked } from "./search.js";

const MS = 200; // for a move or the values of a position

/** @type {Promise<{rules: Rules, agent: Agent}>} */
let made;

onmessage = async ({ data: { id, tables, task, isDeep, position } }) => {
  if (tables) {
    const rules = new Rules(tables.size);
    made = unpacked(tables).then(weights => ({ rules, agent: new Agent(rules, tables, weights) }));
    return;
  }
  const { rules, agent } = await made;
  if (task === "move") {
    const action = isDeep ? agent.deepen(position, MS, true).moves[0].action : agent.act(position);
    postMessage({ id, answer: { action, name: rules.name(action) }, isLast: true });
    return;
  }
  const answer = isDeep ? agent.deepen(position, MS, false, less => postMessage({ id, answer: less })) : agent.onePly(position);
  postMessage({ id, answer, isLast: true });
};
