import type { TaskDetails, TaskSummary } from '../../../runtime/agent-tasks/task-report.ts'
import { visibleLine, visibleText } from '../../visible-text.ts'

/** One line on where a task stands. */
export function standingText({ task_id, status, exit_code, signal, error, title }: TaskSummary): string {
  const how = error ? `: ${error.message}` : signal ? ` by ${signal}` : exit_code === null ? '' : ` with ${exit_code}`
  return `${visibleLine(`${task_id}  ${status}${how}  (${title})`)}\n`
}

/** All that people need to know of a task, and what to do next. */
export function detailsText(task: TaskDetails): string {
  const { kind, workdir, run_id, pause, result, children, created_at } = task
  const facts: [string, string | null][] = [
    ['kind', kind],
    ['started', `${created_at} by ${task.history[0]?.by ?? 'unknown'}`],
    ['directory', workdir],
    ['run', run_id],
    ['child of', task.parent_run_id],
    ['checkpoint', task.checkpoint_id],
    ['invocations', task.history.map(({ n, status }) => `${n} ${status}`).join(', ')],
  ]
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [visibleLine(`${name.padEnd(12)}${value}`)]))
  return [
    standingText(task),
    lines.map(line => `${line}\n`).join(''),
    children.map(child => `child       ${standingText(child)}`).join(''),
    result && result.final_message !== '' ? section('Its last message', result.final_message) : '',
    pause ? pauseText(task, pause) : '',
    // Where its run tells what happened, its document would only tell it again.
    pause?.resumable || result ? '' : outputText('stdout', task.stdout),
    outputText('stderr', task.stderr),
  ].join('')
}

function pauseText({ task_id }: TaskDetails, pause: NonNullable<TaskDetails['pause']>): string {
  const said = pause.agent_message ? section('It says', pause.agent_message) : ''
  const calls = (pause.pending_tool_calls ?? []).map(({ id, name, requires_approval, arguments: args }) => {
    const text = typeof args === 'string' ? args : JSON.stringify(args, null, 2)
    return section(`${id}  ${name}  (${requires_approval ? 'needs approval' : 'runs with the batch'})`, text)
  })
  const asked = (pause.questions ?? []).map(({ id, question }) => section(`${id}  asks`, question))
  const note = pause.note === null ? '' : `\n${visibleLine(pause.note)}\n`
  return `${said}${calls.join('')}${asked.join('')}${note}${hintText(task_id, pause)}`
}

function hintText(taskId: string, pause: NonNullable<TaskDetails['pause']>): string {
  if (!pause.resumable) return `\nClear it with:\n  holdpoint tasks cancel ${taskId}\n`
  const held = (pause.pending_tool_calls ?? []).some(call => call.requires_approval)
  const what = pause.ready ? '' : held ? ' --approve-all' : ' "your answer"'
  return `\nGo on with:\n  holdpoint tasks resume ${taskId}${what}\n`
}

function outputText(name: string, { text, size }: TaskDetails['stdout']): string {
  if (size === 0) return ''
  const bytes = Buffer.byteLength(text)
  return section(size > bytes ? `The end of its ${name} (${size} bytes in all)` : `Its ${name}`, text)
}

function section(title: string, text: string): string {
  const body = visibleText(text.trimEnd()).replaceAll(/^/gm, '    ')
  return `\n${visibleLine(title)}\n${body}\n`
}
