/** Agents by name: `support` is `.holdpoint/agents/support.md`, or a module of that name. */

import { existsSync, readdirSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import type { RefusedError } from '../../core/errors.ts'
import { editDistance } from '../../core/text/edit-distance.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'
import { userDirectory } from './user-directory.ts'

/** All but Markdown is loaded as code. */
export const AGENT_ENDINGS = ['.md', '.ts', '.mts', '.js', '.mjs'] as const
export type AgentEnding = (typeof AGENT_ENDINGS)[number]

/** Below the directory of a project. */
export const PROJECT_AGENTS = '.holdpoint/agents'

const NAME = /^[\w.-]{1,64}$/

export interface AgentPlaces {
  /** The directory of the project, which has the `.holdpoint/`. */
  readonly root: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface NamedFile {
  readonly name: string
  readonly file: string
}

/** The names that `--agent` takes here: those of the project, and those of the user. */
export function agentNames(places: AgentPlaces): string[] {
  return [...new Set(namedAgents(places).map(({ name }) => name))].toSorted()
}

/** The agents with their files, those of the project first. */
export function namedAgents(places: AgentPlaces): NamedFile[] {
  return foldersOf(places).flatMap(agentsIn)
}

/** The agents of the project that are code, as paths below it. */
export function agentModules(root: string): string[] {
  const modules = agentsIn(join(root, PROJECT_AGENTS)).filter(({ file }) => isModule(file))
  return modules.map(({ file }) => `${PROJECT_AGENTS}/${file.slice(file.lastIndexOf('/') + 1)}`).toSorted()
}

export function isModule(file: string): boolean {
  return extname(file) !== '.md'
}

/** True for `support`. A path has a slash or an ending that an agent file can have. */
export function isAgentName(written: string): boolean {
  return NAME.test(written) && !hasAgentEnding(written)
}

/**
 * The file of an agent, absolute. A path counts from `base`; a name is looked up in the project, then with the user.
 * @throws RefusedError `unknown_agent`, or `ambiguous_id` if two files of one folder have the name
 */
export function agentFile(written: string, { base, ...places }: AgentPlaces & { readonly base: string }): string {
  const path = resolve(base, written)
  if (!isAgentName(written)) return path
  for (const folder of foldersOf(places)) {
    const [file, other] = agentsIn(folder).filter(({ name }) => name === written)
    if (file && other) throw projectRefusals.ambiguous(written, [file.file, other.file])
    if (file) return file.file
  }
  if (existsSync(path)) return path
  throw unknownAgent(written, places)
}

function foldersOf({ root, env }: AgentPlaces): readonly string[] {
  return [join(root, PROJECT_AGENTS), join(userDirectory(env), 'agents')]
}

function agentsIn(folder: string): NamedFile[] {
  const files = namesIn(folder).filter(file => !file.startsWith('.') && hasAgentEnding(file))
  return files.map(file => ({ name: file.slice(0, -extname(file).length), file: join(folder, file) }))
}

/** A folder that is not there, or that may not be read, has none. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function hasAgentEnding(file: string): boolean {
  return AGENT_ENDINGS.some(ending => ending === extname(file))
}

function unknownAgent(name: string, places: AgentPlaces): RefusedError {
  const known = agentNames(places)
    .map(other => ({ other, distance: editDistance(name, other) }))
    .toSorted((one, other) => one.distance - other.distance)
    .map(({ other }) => other)
  const advice =
    known.length === 0
      ? `There are no agents yet: \`holdpoint init ${name}\` writes one.`
      : `Known, the nearest first: ${known.join(', ')}.`
  return projectRefusals.unknownAgent(name, foldersOf(places), advice)
}
