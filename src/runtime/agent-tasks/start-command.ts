/** Keeps: a command that policy says never to is never started (P1). */
import { RefusedError } from '../../core/errors.ts'
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
export async function startCommand(site: AgentTasksDeps, request: CommandRequest, starter: Starter): Promise<Task> {
  const { processes, tasks } = site
  const { command, timeout_seconds } = request
  const parent = await parentProfile(site, starter)
  const workdir = processes.directoryWithin(request.workdir ?? '.', parent.workdir)
  await refuseForbidden(site, { parent, command, workdir, starter })
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
    environment: { ...(await processes.withheldFrom(parent)), ...environmentOf(starter) },
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
  if (!tool) throw noCommands()
  if (starter.isGated) return
  const args = typeof command === 'string' ? { command } : { argv: [...command], command: command.join(' ') }
  const { verdict, rule, binding } = await rulingOn({ ...parent, workdir }, asRunCommand(tool, command), args)
  if (verdict === 'never') throw forbidden(rule)
  if (binding) throw needsPerson(rule)
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

function noCommands(): RefusedError {
  return new RefusedError('tools_beyond_parent', 'Whoever starts this may run no commands. Nothing was started.', {
    hint: 'It has neither run_command nor run_command_task.',
  })
}

function forbidden(rule: string): RefusedError {
  return new RefusedError('forbidden', `Policy says never to this command (${rule}). Nothing was started.`, {
    action: { do: 'check_policy' },
  })
}

function needsPerson(why: string): RefusedError {
  return new RefusedError('needs_person', `Only a person may let this command run: ${why}. Nothing was started.`, {
    hint: 'Have an agent run it with subagent_task: then a person is asked.',
  })
}
