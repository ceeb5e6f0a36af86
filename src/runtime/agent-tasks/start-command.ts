/** Keeps P1: a command that policy rules `never` is never started. */
import { taskRefusals } from '../../core/refusals/task-refusals.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { Task } from '../../core/task/task.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { quotedWord } from '../../core/text/quoted-word.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { CommandRequest, Starter } from '../face/tasks.ts'
import { loadAgent } from '../foreign/load-agent.ts'
import { rulingOn } from '../policy/ruling.ts'
import { type AgentTasksDeps, COMMAND } from './agent-task.ts'
import { environmentOf, shortTitle, timeoutMs } from './start-agent.ts'
import { parentProfile } from './start-child.ts'

/** @throws RefusedError; then nothing was started. */
export async function startCommand(deps: AgentTasksDeps, request: CommandRequest, starter: Starter): Promise<Task> {
  const { processes, tasks } = deps
  const { command, timeout_seconds } = request
  const parent = await parentProfile(deps, starter)
  const workdir = processes.directoryWithin(request.workdir ?? '.', parent.workdir)
  await refuseForbidden(deps, { parent, command, workdir, starter })
  return tasks.start({
    by: starter.by,
    surface: starter.surface,
    kind: COMMAND,
    title: request.title ?? shortTitle(typeof command === 'string' ? command : command.join(' ')),
    subject: null,
    details: { parent_run_id: starter.runId } satisfies JsonObject,
    workdir,
    timeout_ms: timeoutMs(timeout_seconds),
    argv: typeof command === 'string' ? processes.shell(command) : command,
    environment: { ...(await processes.changesFor(parent)), ...environmentOf(starter) },
  })
}

interface Wish extends Pick<CommandRequest, 'command'> {
  readonly parent: Profile
  readonly workdir: string
  readonly starter: Starter
}

/** A rule for run_command is a rule for commands, however they are run. */
async function refuseForbidden(deps: AgentTasksDeps, { parent, command, workdir, starter }: Wish): Promise<void> {
  const { tools } = await loadAgent(deps, parent)
  const tool = tools.get(RUN_COMMAND) ?? tools.get(RUN_COMMAND_TASK)
  if (!tool) throw taskRefusals.noCommands()
  if (starter.isGated) return
  const args = typeof command === 'string' ? { command } : { argv: [...command], command: command.join(' ') }
  const { verdict, rule, binding } = await rulingOn({ ...parent, workdir }, asRunCommand(tool, command), args)
  if (verdict === 'never') throw taskRefusals.forbidden(rule)
  if (binding) throw taskRefusals.needsPerson(rule)
}

const RUN_COMMAND = 'run_command'
const RUN_COMMAND_TASK = 'run_command_task'

/** Words that no shell reads are quoted for readers who read them as one would. */
function asRunCommand(tool: Tool, command: CommandRequest['command']): Tool {
  const line = typeof command === 'string' ? command : command.map(quotedWord).join(' ')
  return { ...tool, name: RUN_COMMAND, ...(tool.inspect && inspecting(tool.inspect, line)) }
}

function inspecting(inspect: NonNullable<Tool['inspect']>, command: string): Pick<Tool, 'inspect'> {
  return { inspect: (_, workdir) => inspect({ command }, workdir) }
}
