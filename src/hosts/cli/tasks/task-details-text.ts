/** P9: a task for people to read. Nothing of it can look like a line that Holdpoint wrote: it is set in. */

import { mayResume } from '../../../core/fleet/agent-status.ts'
import { failureSentence } from '../../../core/run/outcome/run-failure.ts'
import type { RunPath } from '../../../core/run/run-path.ts'
import { describeEnd } from '../../../core/run/termination.ts'
import type { RunWarning } from '../../../core/run/warnings/run-warning.ts'
import type { Invocation } from '../../../core/task/task.ts'
import { durationText } from '../../../core/text/duration-text.ts'
import { visibleLine, visibleText } from '../../../core/text/visible-text.ts'
import type { OutputStream } from '../../../ports/process/task-manager.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { TaskDetails, TaskSummary } from '../../../runtime/face/tasks.ts'
import type { PauseReason } from '../../../runtime/views/pause-reason.ts'
import type { CommandContext } from '../../command/command.ts'
import { givenStore, placeFlags } from '../../command/flag-values.ts'
import type { Paint } from '../../display/screen.ts'
import { type Facts, rowLines, Show } from '../../display/show.ts'
import { indented, pauseLines } from '../../outcome/pause-lines.ts'
import { resumeHint } from '../../outcome/resume-hint.ts'
import { shellWord } from '../../process/shell-word.ts'
import { howItStands, STATUS_STYLES, standingText } from './task-text.ts'

export interface ShownTask {
  readonly task: TaskDetails
  /** The background agent that runs in it, if it is shown as that. */
  readonly agent?: AgentSummary | undefined
  /** The agents that led to it. */
  readonly path: RunPath
  /** What its run warns of. */
  readonly warnings: readonly RunWarning[]
}

/** All that people need to know of a task, and what to do next. */
export function detailsText(context: CommandContext, { task, path, warnings, agent }: ShownTask): string {
  const show = new Show(context)
  const parts = [
    [title(task, show.paint), ...show.facts(facts({ task, path, agent }))],
    show.section('Look twice', warnings.map(warningLine)),
    task.kind === 'command' ? section(show, 'Command', [commandLine(task)]) : [],
    section(show, 'Invocations', invocationLines(task)),
    section(show, 'Tasks that it started', task.children.map(childLine)),
    pauseText(task, show.paint),
    endText(task, show),
    // The document on an agent's stdout only repeats its run.
    task.kind === 'agent' ? [] : outputText('stdout', task, show),
    outputText('stderr', task, show),
    nextText(context, agent ? agentWayOn(task, agent) : wayOn(task, givenStore(context.given)), show),
  ]
  return show.text(parts.map(part => (part.length === 0 ? part : [part.join('\n').trimEnd()])))
}

function warningLine({ message, hint }: RunWarning): string {
  return visibleLine(`${message} ${hint}`)
}

function title(task: TaskDetails, paint: Paint): string {
  const why = task.error ? `: ${task.error.message}` : ''
  const stands = paint(STATUS_STYLES[task.status], visibleLine(`${howItStands(task)}${why}`))
  return `${paint('bold', task.task_id)}  ${stands}  ${visibleLine(task.title)}`
}

function facts({ task, path, agent }: Omit<ShownTask, 'warnings'>): Facts {
  const { timeout_seconds: timeout, history } = task
  const isBelow = path.length > 1
  return {
    kind: task.kind,
    started: `${task.created_at} by ${history[0]?.by ?? 'unknown'}`,
    host: task.host ?? null,
    directory: agent?.worktree?.path ?? task.workdir,
    branch: agent?.worktree?.branch ?? null,
    timeout: timeout === null ? null : `${timeout} s for each invocation`,
    path: isBelow ? path.map(({ agent, run_id }) => `${agent} (${run_id})`).join(' > ') : null,
    run: task.run_id,
    session: task.session_id,
    // The path names the parent already, if there is a path.
    'child of': isBelow ? null : task.parent_run_id,
    checkpoint: task.checkpoint_id,
  }
}

function section(show: Show, name: string, lines: readonly string[]): string[] {
  return show.section(
    name,
    lines.map(line => indented(visibleText(line))),
    '',
  )
}

/** The command as a shell would take it. */
function commandLine({ history }: TaskDetails): string {
  return (history.at(-1)?.argv ?? []).map(shellWord).join(' ')
}

function invocationLines({ history }: TaskDetails): string[] {
  const rows = history.map(one => [String(one.n), one.status, ending(one), one.asked_at, lasted(one), whose(one)])
  return rowLines(rows).map(visibleLine)
}

function ending({ exit_code, signal, error }: Invocation): string {
  if (signal !== null) return signal
  return exit_code === null ? (error?.code ?? '') : `exit ${exit_code}`
}

function lasted({ started_at, ended_at }: Invocation): string {
  if (started_at === null || ended_at === null) return ''
  return durationText(Date.parse(ended_at) - Date.parse(started_at))
}

function whose({ by, surface }: Invocation): string {
  return `${by} (${surface})`
}

function childLine(child: TaskSummary): string {
  return standingText(child).trimEnd()
}

function pauseText(task: TaskDetails, paint: Paint): string[] {
  const { pause } = task
  const pause_reason = asked(task)
  if (pause_reason) return [...pauseLines({ agent_message: pause?.agent_message ?? '', pause_reason }, paint)]
  return !pause || pause.note === null ? [] : [visibleLine(pause.note)]
}

/** `null` if all of it is decided. */
function asked({ pause, pause_reason }: TaskDetails): PauseReason | null {
  return pause?.ready ? null : pause_reason
}

function endText({ result }: TaskDetails, show: Show): string[] {
  if (result === null) return []
  const { final_message: said, termination, failed } = result
  const end = visibleLine(`Its run is over: ${describeEnd(termination)}.${failed ? ` ${failureSentence(failed)}` : ''}`)
  return said === '' ? [end] : [end, '', ...section(show, 'Its last message', [said])]
}

function outputText(name: OutputStream, task: TaskDetails, show: Show): string[] {
  const { text, size, from, missing } = task[name]
  if (size === 0) return []
  if (missing === size && task.host !== undefined)
    return section(show, `Its ${name}`, [`${size} bytes, on the host ${task.host}`])
  return section(show, from > 0 ? `The end of its ${name} (${size} bytes in all)` : `Its ${name}`, [text.trimEnd()])
}

interface WayOn {
  readonly what: string
  readonly command: string
  /** The command names the store already. */
  readonly isWhole?: true
}

function nextText({ given }: CommandContext, way: WayOn | null, show: Show): string[] {
  const at = placeFlags(given)
  return way === null ? [] : show.section(way.what, [`${way.command}${way.isWhole ? '' : at}`])
}

/** An agent continues once people have decided. */
function agentWayOn(task: TaskDetails, agent: AgentSummary): WayOn | null {
  const called = shellWord(agent.name ?? agent.id)
  const reason = asked(task)
  const [call] = reason?.pending_tool_calls.filter(each => each.requires_approval && !each.decided) ?? []
  const [question] = reason?.questions ?? []
  if (call?.hold_id)
    return { what: 'Decide with', command: `holdpoint ${call.client_tool ? 'answer' : 'approve'} ${call.hold_id}` }
  if (question) return { what: 'Answer with', command: `holdpoint answer ${question.hold_id} "…"` }
  if (mayResume(agent)) return { what: 'Go on with', command: `holdpoint agents resume ${called}` }
  if (agent.status !== 'idle' && agent.status !== 'parked') return null
  return { what: 'Go on with', command: `holdpoint agents send ${called} "…"` }
}

/** The next step for a task that waits or failed. */
function wayOn(task: TaskDetails, store: string | null): WayOn | null {
  const { task_id, pause, status, kind, result } = task
  const resume = `holdpoint tasks resume ${task_id}`
  if (pause && !pause.resumable) return { what: 'Clear it with', command: `holdpoint tasks cancel ${task_id}` }
  const reason = asked(task)
  if (pause && reason) {
    const checkpoint = pause.checkpoint_id ?? ''
    return {
      what: 'Go on with',
      command: resumeHint({ checkpoint, pause: reason, store, command: resume }),
      isWhole: true,
    }
  }
  const hasFailed = status === 'failed' && kind === 'agent' && (result?.termination.type ?? 'error') === 'error'
  return pause || hasFailed ? { what: 'Go on with', command: resume } : null
}
