import { SEAL_VARIABLE } from '../core/audit/record-seal.ts'
import type { Task } from '../core/task/task.ts'
import { withoutSupervisorStore } from '../ports/store/store-location.ts'

import { withoutQueueVariable } from './queue-options.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Which invocation a process belongs to. One that takes it out of its environment does not, once it cut every other tie. */
const MARK = 'HOLDPOINT_TASK'
/** Variables about the starter of a task. They are true neither of its supervisor nor of the task. */
const LEFT_BEHIND = ['HOLDPOINT_COMMAND_IDS', 'HOLDPOINT_WITHIN']
/** Variables that a shell would drop on the way to the supervisor, as JSON. */
const CARRIED = 'HOLDPOINT_CARRIED'

/** The mark in the environment of each process of an invocation, and of no other; see `Family`. */
export function markOf(taskId: string, invocation: number): string {
  // With the end of the variable: the first invocation is not the tenth.
  return `${MARK}=${taskId}/${invocation}\0`
}

/** The environment of a supervisor: all that its command is to have, through a shell. */
export function supervisorEnvironment(own: Environment, given: Environment): Environment {
  const kept = Object.fromEntries(Object.entries(own).filter(([name]) => !LEFT_BEHIND.includes(name)))
  const { [MARK]: _mark, [CARRIED]: _carried, ...all } = { ...kept, ...given }
  const isPlain = ([name]: readonly [string, unknown]) => /^[A-Za-z_]\w*$/.test(name)
  const odd = Object.entries(all).filter(entry => !isPlain(entry) && entry[1] !== undefined)
  const plain = Object.fromEntries(Object.entries(all).filter(isPlain))
  return odd.length === 0 ? plain : { ...plain, [CARRIED]: JSON.stringify(Object.fromEntries(odd)) }
}

/** The environment that a supervisor with the environment `own` gives to its command. */
export function commandEnvironment(own: Environment, { id, kind, workdir, invocation }: Task): Environment {
  const { [CARRIED]: carried, [SEAL_VARIABLE]: key, ...plain } = withoutQueueVariable(withoutSupervisorStore(own))
  const odd = carried === undefined ? {} : (JSON.parse(carried) as Environment)
  // P10: the process of an agent is a host, and seals its records. A command is none.
  const seals = kind === 'agent' && key !== undefined ? { [SEAL_VARIABLE]: key } : {}
  return { ...plain, ...odd, ...seals, PWD: workdir, [MARK]: `${id}/${invocation.n}` }
}
