import { refused } from '../../../core/errors.ts'
import { AGENT_IS_OVER, type AgentStatus, mayResume } from '../../../core/fleet/agent-status.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { Given } from '../../command/flags.ts'
import { inLocalTime } from '../../display/ago.ts'
import type { Style } from '../../display/screen.ts'

export const AGENT_STYLES: Record<AgentStatus, Style> = {
  queued: 'dim',
  spawning: 'cyan',
  running: 'cyan',
  waiting: 'yellow',
  idle: 'green',
  parked: 'dim',
  killing: 'red',
  killed: 'dim',
  done: 'dim',
  failed: 'red',
  crashed: 'red',
  unreachable: 'red',
}

/** How people call it: its name, or else its id. */
export function calledAs({ id, name }: Pick<AgentSummary, 'id' | 'name'>): string {
  return name ?? id
}

/** The standing of an agent in one line. */
export function standingText(agent: AgentSummary): string {
  const { id, name, status, because, title } = agent
  const called = name === null ? id : `${name} (${id})`
  return `${visibleLine(`${called}  ${status}: ${inLocalTime(because)}  (${title})`)}\n`
}

/** The next command for an agent of this status. `place` names the store if it is not the usual one. */
export function nextText(agent: AgentSummary, place: string): string {
  const { status } = agent
  const called = calledAs(agent)
  const command = (verb: string) => `\`holdpoint agents ${verb} ${called}${place}\``
  if (status === 'waiting') return `  Next: ${command('show')} tells what waits for a decision.\n`
  if (mayResume(agent)) return `  Next: ${command('resume')}${status === 'failed' ? `, or ${command('logs')}` : ''}.\n`
  if (AGENT_IS_OVER[status]) return `  Next: ${command('logs')}.\n`
  return `  Next: ${command('logs --follow')}, or \`holdpoint agents send ${called}${place} "…"\`.\n`
}

/** 0: no action is needed. 10: a person is needed. 1: the agent failed. */
// biome-ignore format: the table is the documentation
export const EXIT_OF: Record<AgentStatus, number> = {
  queued: 0, spawning: 0, running: 0, idle: 0, parked: 0, done: 0, killing: 0,
  waiting: 10, killed: 1, failed: 1, crashed: 1, unreachable: 1,
}

/** The event after which to begin; `null` without the flag. @throws RefusedError `invalid_arguments` */
export function sinceIn(given: Given): number | null {
  const text = given.value('since')
  if (text === null) return null
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw refused('invalid_arguments', `--since ${JSON.stringify(text)} is no whole number from 0.`, 'Name a `seq`.')
}
