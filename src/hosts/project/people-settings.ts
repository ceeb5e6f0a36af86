import { objectionToTimeFor } from '../../core/deadlines/objection-to-time.ts'
import { type DecidersSettings, objectionToDeciders, readDeciders } from '../../core/people/deciders.ts'
import {
  type DueSettings,
  mayApproveItself,
  mergeDue,
  objectionToSelfApproval,
  readDue,
} from '../../core/people/due.ts'
import { type Groups, readGroups } from '../../core/people/groups.ts'
import { APPROVAL_ANSWERS, type ApprovalAnswers, type PauseKind, type Profile } from '../../core/run/profile.ts'
import type { Json } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'

/** A project's settings about people; `null` for each that it leaves out. */
export interface PeopleSettings {
  readonly due: DueSettings | null
  readonly deciders: DecidersSettings | null
  readonly groups: Groups | null
  /** The groups that have members by sign-in. */
  readonly proven_groups: readonly string[] | null
  readonly approval_answers: ApprovalAnswers | null
}

export const NO_PEOPLE_SETTINGS: PeopleSettings = {
  ...{ due: null, deciders: null, groups: null, proven_groups: null, approval_answers: null },
}

type Reader = (value: Json) => unknown

/** Readers by the key in a document. Each @throws Error with the fault. */
export const PEOPLE_READERS: { readonly [K in Exclude<keyof PeopleSettings, 'proven_groups'>]: Reader } = {
  due: readDue,
  deciders: readDeciders,
  groups: readGroups,
  approval_answers: value => {
    if ((APPROVAL_ANSWERS as readonly Json[]).includes(value)) return value
    throw new Error(`must be one of ${APPROVAL_ANSWERS.join(', ')}`)
  },
}

type PeopleProfile = Pick<Profile, 'due' | 'deciders' | 'groups' | 'proven_groups' | 'approval_answers'>

/** The settings that a run keeps: those of the agent have priority over those of the project. */
export function peopleProfile(agent: Pick<PeopleSettings, 'due' | 'deciders'>, project: PeopleSettings): PeopleProfile {
  return {
    due: mergeDue([agent.due, project.due]),
    deciders: agent.deciders ?? project.deciders,
    groups: project.groups ?? {},
    ...(project.proven_groups && { proven_groups: project.proven_groups }),
    approval_answers: project.approval_answers ?? 'tolerant',
  }
}

/** Why the settings of one place cannot hold together, in words; `null` if they can. */
export function objectionToPeople({ due, deciders, groups, proven_groups }: Partial<PeopleSettings>): string | null {
  const unable = deciders ? objectionToDeciders(deciders, groups ?? {}, proven_groups ?? []) : null
  return unable ?? objectionToSelfApproval(due ?? null, deciders ?? null)
}

/** New runs of an agent have deciders who can decide. @throws RefusedError `invalid_agent` */
export function refuseUnableDeciders(
  agent: AgentsPeople,
  { deciders, groups, proven_groups = [] }: Pick<PeopleProfile, 'deciders' | 'groups' | 'proven_groups'>,
): void {
  const ofTools = (agent.tools ?? []).flatMap(tool =>
    typeof tool !== 'string' && tool.deciders ? [{ of: `its tool ${tool.name}: `, said: tool.deciders }] : [],
  )
  for (const { of, said: signer } of [{ of: '', said: deciders }, ...ofTools]) {
    const problem = signer && objectionToDeciders(signer, groups, proven_groups)
    if (problem) throw projectRefusals.unableDeciders(agent.name, `${of}${problem}`)
  }
}

interface AgentsPeople {
  readonly name: string
  readonly tools: readonly (Tool | string)[] | null
}

/**
 * Refuses a deadline that approves if none of the agent's tools may be approved like that: then every hold would end
 * its run instead. @throws RefusedError `invalid_agent`
 */
export function refuseIdleSelfApproval(
  { name }: AgentsPeople,
  { due }: Pick<PeopleProfile, 'due'>,
  { ownTools, pause_on }: { ownTools(): readonly Tool[] | null; readonly pause_on: readonly PauseKind[] },
): void {
  if (!mayApproveItself(due) || pause_on.includes('input')) return
  const tools = ownTools() ?? []
  if (tools.length === 0) return
  const objections = tools.map(objectionToTimeFor)
  if (objections.includes(null)) return
  throw projectRefusals.invalidAgent(name, objections.join('; '))
}

/** Calls that cannot be taken back need an approver, and questions an answer. @throws RefusedError `invalid_agent` */
export function refuseSelfApproval(agent: string, tools: Iterable<Tool>, { due }: PeopleProfile): void {
  for (const tool of tools) {
    const objection = objectionToTimeFor(tool)
    // Settings for all tools reach the built-in ones too: their calls are cancelled when they are due.
    const said = tool.destructive && !tool.grantable ? mergeDue([tool.due, due]) : (tool.due ?? {})
    if (objection === null || !mayApproveItself(said)) continue
    const why = tool.destructive ? 'is destructive' : 'waits for an answer'
    throw projectRefusals.approvedByNobody(agent, tool.name, why)
  }
}
