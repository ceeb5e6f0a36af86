import type { Amount } from '../count.ts'
import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'
import { type DecidersSettings, demandsPeople } from './deciders.ts'
import { type Groups, membersOf, type PersonOrGroup } from './groups.ts'

/** The effect of an expiry (docs/design/holds.md#time). */
export type OnDue = (typeof ON_DUE)[number]
/** An action that ends a hold. */
export type FinalAction = Exclude<OnDue, 'escalate'>

/**
 * A hundred years at most. A longer duration is a mistake.
 * @exclusiveMinimum 0
 * @maximum 3155760000
 */
export type Seconds = number

/** The next to be asked, if nobody has decided in time. */
export interface EscalationLevel {
  readonly assignee: PersonOrGroup
  /** How long this level has, from when it is asked. */
  readonly seconds: Seconds
}

/**
 * The time settings of a tool, an agent, a project or one hold. A missing setting is taken from the next of these.
 * @if {"properties": {"on_due": {"const": "escalate"}}, "required": ["on_due"]}
 * @then {"properties": {"escalation": {"minItems": 1}}, "required": ["escalation"]}
 */
export interface DueSettings {
  /** From the opening of the hold; `null` never. */
  readonly seconds?: Seconds | null
  /** The outcome then. `auto_approve` is never for tools that are destructive. */
  readonly on_due?: OnDue
  /** Reminders, in seconds from the opening of the hold. */
  readonly remind_after?: readonly Seconds[]
  /** The first to be asked: a person, or `@group`. */
  readonly assignee?: PersonOrGroup | null
  /** The people asked next, in order, and how long each has. */
  readonly escalation?: readonly EscalationLevel[]
  /** The action after the last level. Default: cancel. */
  readonly finally?: FinalAction
}

/** A level of one hold: groups are the people who were in them when it was opened. They may decide once they are asked. */
export interface HoldLevel extends EscalationLevel {
  readonly people: readonly string[]
}

/** The time settings of one hold. */
export interface HoldTiming {
  /** ISO times. */
  readonly due_at: string | null
  readonly on_due: OnDue | null
  readonly remind_at: readonly string[]
  readonly assignee: string | null
  readonly escalation: readonly HoldLevel[]
  readonly finally: FinalAction
}

export const DAY_SECONDS = 86_400
export const ON_DUE = ['cancel', 'reject', 'auto_approve', 'escalate'] as const
export const FINAL_ACTIONS = ['cancel', 'reject', 'auto_approve'] as const satisfies readonly FinalAction[]

/** Never due, and assigned to no one. */
export const NO_TIMING: HoldTiming = {
  due_at: null,
  on_due: null,
  remind_at: [],
  assignee: null,
  escalation: [],
  finally: 'cancel',
}

/** Merges settings: the first that has a value wins, so the most specific must be first. */
export function mergeDue(said: readonly (DueSettings | null | undefined)[]): DueSettings {
  return Object.assign({}, ...said.toReversed().map(settings => settings && outspoken(settings)))
}

/** Settings with levels escalate, even if a less specific `on_due` differs. */
function outspoken(settings: DueSettings): DueSettings {
  return settings.escalation?.length ? { on_due: 'escalate', ...settings } : settings
}

/** A hold that opens at `now`, in milliseconds since 1970. */
export function timingFrom(settings: DueSettings, groups: Groups, now: number): HoldTiming {
  const { seconds = null, remind_after = [], assignee = null, escalation = [] } = settings
  const due = seconds === null ? null : now + seconds * 1000
  const reminders = remind_after.map(each => now + each * 1000).toSorted((a, b) => a - b)
  return {
    due_at: due === null ? null : isoTime(due),
    on_due: due === null ? null : (settings.on_due ?? (escalation.length > 0 ? 'escalate' : 'cancel')),
    remind_at: reminders.filter(at => due === null || at < due).map(isoTime),
    assignee,
    escalation: escalation.map(level => ({ ...level, people: membersOf([level.assignee], groups) })),
    finally: settings.finally ?? 'cancel',
  }
}

/** True if a deadline may approve. */
export function mayApproveItself({
  on_due,
  finally: last,
}: { readonly [K in 'on_due' | 'finally']?: OnDue | null }): boolean {
  return on_due === 'auto_approve' || last === 'auto_approve'
}

/** Why a deadline and deciders of one place contradict each other, in words; `null` if they do not (P1). */
export function objectionToSelfApproval(due: DueSettings | null, deciders: DecidersSettings | null): string | null {
  if (due === null || !mayApproveItself(due) || !demandsPeople(deciders)) return null
  return 'due approves what nobody decided in time (auto_approve), and deciders say who must approve; use cancel, reject or escalate, or leave deciders out'
}

/** When something happens to a hold next, in milliseconds since 1970; `null` never. */
export function wakeTime(
  hold: Pick<HoldTiming, 'due_at' | 'remind_at'> & { readonly reminded: Amount },
): number | null {
  const next = hold.remind_at[hold.reminded]
  const times = [next, hold.due_at].flatMap(time => (time ? [Date.parse(time)] : []))
  return times.length > 0 ? Math.min(...times) : null
}

/**
 * Settings as they are written in code or in a file; camelCase keys are read as snake_case. @throws Error that names
 * the fault.
 */
export function readDue(written: Json | undefined): DueSettings {
  if (!isJsonObject(written))
    throw new Error(`due must be like { seconds: 3600, on_due: "cancel" }, not ${shown(written)}`)
  const entries = Object.entries(written)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]): [string, Json] => [snakeCase(key), value])
  for (const [key, value] of entries) {
    const problem = Object.hasOwn(CHECKS, key) ? CHECKS[key]?.(value) : `known: ${Object.keys(CHECKS).join(', ')}`
    if (problem) throw new Error(`due.${key}: ${problem}`)
  }
  const settings = Object.fromEntries(entries) as DueSettings
  if (settings.on_due === 'escalate' && !settings.escalation?.length)
    throw new Error('due.on_due: escalate needs escalation, a list like [{ assignee: "@managers", seconds: 3600 }]')
  return settings
}

type Check = (value: Json) => string | null

const CHECKS: Readonly<Record<string, Check>> = {
  seconds: value =>
    value === null || isDuration(value) ? null : 'must be a number of seconds above 0, or null for never',
  on_due: value => ((ON_DUE as readonly Json[]).includes(value) ? null : `must be one of ${ON_DUE.join(', ')}`),
  finally: value =>
    (FINAL_ACTIONS as readonly Json[]).includes(value) ? null : `must be one of ${FINAL_ACTIONS.join(', ')}`,
  remind_after: value =>
    Array.isArray(value) && value.every(isDuration) ? null : 'must be a list of seconds from the opening of the hold',
  assignee: value => (value === null || isName(value) ? null : 'must name a person or a @group'),
  escalation: value =>
    Array.isArray(value) && value.every(isLevel)
      ? null
      : 'must be a list like [{ assignee: "@managers", seconds: 3600 }]',
}

/** The maximum of `Seconds`. */
const LONGEST_SECONDS = 36_525 * DAY_SECONDS

function isDuration(value: Json): value is number {
  return typeof value === 'number' && value > 0 && value <= LONGEST_SECONDS
}

function isLevel(value: Json): boolean {
  return (
    isJsonObject(value) &&
    Object.keys(value).every(key => key === 'assignee' || key === 'seconds') &&
    isName((value as JsonObject)['assignee'] ?? null) &&
    isDuration((value as JsonObject)['seconds'] ?? null)
  )
}

function isName(value: Json): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

function snakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

function shown(value: Json | undefined): string {
  return JSON.stringify(value) ?? 'nothing'
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
