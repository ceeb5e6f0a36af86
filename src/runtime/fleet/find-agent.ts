/** From a name, an id or the beginning of one to an agent. */

import { RefusedError, unknown } from '../../core/errors.ts'
import { agentRefusals } from '../../core/refusals/agent-refusals.ts'
import type { Task } from '../../core/task/task.ts'
import { refuseTakenName } from '../../core/task/task-name.ts'
import { AGENT, type AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import { tasksByAge, tasksUnderWay, UNDER_WAY } from '../agent-tasks/tasks-under-way.ts'
import { termsOf } from './agent-terms.ts'

type Registry = Pick<AgentTasksDeps, 'store'>

/** Read at once. */
const PAGE = 500
/** How many letters after `task_` name an agent, if no other id begins with them. */
const LEAST_LETTERS = 4
const MOST_LISTED = 10

const IS_ID = /^task_[0-9a-z]{16}$/

/**
 * The agent of this name that is not over, or else the newest one; the agent of this id; or the only one whose id begins
 * so, with `task_` or without. @throws RefusedError `unknown_agent`, `ambiguous_id`, `not_an_agent`
 */
export async function findAgent(deps: Registry, named: string): Promise<Task> {
  if (IS_ID.test(named)) return byId(deps, named)
  const found = new Found(named)
  for await (const task of agents(deps)) if (found.takes(task)) break
  return found.only()
}

async function byId({ store }: Registry, id: string): Promise<Task> {
  const task = await store.tasks.task(id)
  if (task === null) throw unknownAgent(id)
  if (task.kind === AGENT) return task
  throw agentRefusals.notAnAgent(id)
}

/**
 * Yields each agent once. Those under way come first: an older agent of the same name is over. An agent that is resumed
 * meanwhile may come later.
 */
async function* agents({ store }: Registry): AsyncGenerator<Task> {
  const underWay = await tasksUnderWay(store.tasks, { kind: AGENT })
  yield* underWay
  const seen = new Set(underWay.map(({ id }) => id))
  for await (const task of tasksByAge(store.tasks, { kind: AGENT, limit: PAGE })) if (!seen.has(task.id)) yield task
}

class Found {
  readonly #named: string
  readonly #beginning: string
  /** At most one agent of the name is under way. A finished one may have resumed since another took its name. */
  readonly #namesakes: Task[] = []
  readonly #begun: Task[] = []

  constructor(named: string) {
    this.#named = named
    this.#beginning = named.startsWith('task_') ? named : `task_${named}`
  }

  /** True if no later agent can count. */
  takes(task: Task): boolean {
    const isOver = !UNDER_WAY.includes(task.status)
    if (termsOf(task).name === this.#named && !(isOver && this.#namesakes.length > 0)) this.#namesakes.push(task)
    else if (task.id.startsWith(this.#beginning)) this.#begun.push(task)
    return isOver && this.#namesakes.length > 0
  }

  only(): Task {
    const found = this.#namesakes.length > 0 ? this.#namesakes : this.#begun
    const [first] = found
    if (!first) throw unknownAgent(this.#named)
    const isShort = this.#namesakes.length === 0 && this.#beginning.length < 'task_'.length + LEAST_LETTERS
    if (found.length === 1 && !isShort) return first
    throw ambiguous(this.#named, found, isShort)
  }
}

function unknownAgent(id: string): RefusedError {
  return unknown('unknown_agent', 'background agent', { id, find: 'find_agent' })
}

function ambiguous(named: string, found: readonly Task[], isShort: boolean): RefusedError {
  const candidates = found.slice(0, MOST_LISTED).map(task => {
    const { name } = termsOf(task)
    return name === null ? task.id : `${task.id} (${name})`
  })
  const short = isShort ? `, which is too short: write at least ${LEAST_LETTERS} letters` : ''
  const agents = found.length === 1 ? '1 agent' : `${found.length} agents`
  return new RefusedError('ambiguous_id', `${JSON.stringify(named)} stands for ${agents}${short}.`, {
    hint: `Write more of the id: ${candidates.join(', ')}${found.length > MOST_LISTED ? ', …' : ''}.`,
    details: { ids: found.slice(0, MOST_LISTED).map(({ id }) => id) },
  })
}

/** Before anything is made for it; the store asks again. @throws RefusedError `name_taken` */
export async function refuseNameInUse({ store }: Registry, name: string): Promise<void> {
  refuseTakenName(name, await tasksUnderWay(store.tasks, { kind: AGENT }))
}
