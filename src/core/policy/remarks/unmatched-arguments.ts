import { nearestWord } from '../../text/edit-distance.ts'
import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import { matchesGlob } from '../glob.ts'
import { bracketed, withoutColon } from './foreign-tools.ts'
import { DOES_NOTHING, type KnownTool, type KnownTools, type PolicyLine, type PolicyRemark } from './remark.ts'
import { mayBeOfServer, toolsOf } from './unknown-tools.ts'

/** Arguments of a rule that no call has, or that never match. */
export function unmatchedArguments(line: PolicyLine, known: KnownTools): readonly PolicyRemark[] {
  const tools = toolsOf(line, known)
  if (line.match === null || tools.length === 0 || mayBeOfServer(line, known)) return []
  return Object.entries(line.match).flatMap(([argument, pattern]) => {
    const about = { line, argument, pattern }
    return unknownArgument(about, tools) ?? foreignPattern(about) ?? unfitPattern(about, tools) ?? []
  })
}

interface Matched {
  readonly line: PolicyLine
  readonly argument: string
  readonly pattern: string
}

/** Keywords with which an object may have more properties than it lists. */
const OPEN = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', '$dynamicRef', 'dependentSchemas']

/** The arguments of a tool; `null` if they cannot be listed. */
function argumentsOf({ inputSchema }: KnownTool): JsonObject | null {
  const { properties, additionalProperties: more } = inputSchema
  const isOpen = more === true || isJsonObject(more) || OPEN.some(key => key in inputSchema)
  return isOpen || !isJsonObject(properties) ? null : properties
}

function unknownArgument(
  { line: { place, verdict }, argument }: Matched,
  tools: readonly KnownTool[],
): PolicyRemark | null {
  const listed = tools.map(argumentsOf)
  if (listed.some(properties => properties === null || Object.hasOwn(properties, argument))) return null
  const names = [...new Set(listed.flatMap(properties => Object.keys(properties ?? {})))]
  const near = nearestWord(argument, names) ?? meantArgument(argument, names)
  const of = tools.map(({ name }) => name).join(', ')
  return {
    ...{ code: 'unknown_argument', place },
    message: `${of} has no argument ${JSON.stringify(argument)}, so ${DOES_NOTHING[verdict]}.`,
    hint: near === null ? `Its arguments: ${names.join(', ') || 'none'}.` : `Did you mean ${JSON.stringify(near)}?`,
  }
}

/** Names of our tools' arguments among people and in other products. */
const ALSO_CALLED: Readonly<Record<string, readonly string[]>> = {
  command: ['cmd', 'script', 'commands', 'shell', 'argv', 'args'],
  url: ['address', 'host', 'domain', 'uri', 'href'],
  path: ['file', 'filename', 'file_path', 'filepath', 'absolute_path', 'dir', 'directory', 'pattern'],
}

function meantArgument(argument: string, names: readonly string[]): string | null {
  return names.find(name => ALSO_CALLED[name]?.includes(argument.toLowerCase())) ?? null
}

type Shape = readonly [shape: RegExp, what: string, instead: (pattern: string) => string]

/** Patterns in which the star alone means something, written as if more did. */
const SHAPES: Readonly<Record<string, readonly Shape[]>> = {
  command: [
    [/^[A-Za-z]\w*\([^()]*\)$/, 'is a line of another product', within],
    [/:\*$/, 'ends as rules of another product do', pattern => `Write ${JSON.stringify(withoutColon(pattern))}.`],
    [/^\^|\S\$$|\\[sdwbSDW]|\(\?[:=!]|[\w)\]]\.[*+]/, 'is a regular expression, and is read as a glob', plainly],
    [/^\s|\s\s|\s$/, 'has spaces that no command has once it is read', squeezed],
  ],
  url: [
    [/^domain:/, 'is a line of another product', pattern => hostRule(pattern.slice('domain:'.length))],
    [/^(?!\*$)(?!.*\/\/)/, 'has no scheme', hostRule],
  ],
  path: [
    [/^~/, 'begins with ~, and paths of tools have none', () => 'Write the absolute path.'],
    [/^\.\//, 'begins with ./, and paths are read without it', pattern => `Write ${JSON.stringify(pattern.slice(2))}.`],
    [
      /^\/\//,
      'begins with two slashes, as in another product',
      pattern => `Write ${JSON.stringify(pattern.slice(1))}.`,
    ],
    [
      /\{[^{}]*,[^{}]*\}|\[[^\]]+\]/,
      'uses braces or brackets, and only * means something',
      () => 'Write one rule for each.',
    ],
  ],
}

function hostRule(host: string): string {
  return `Write ${JSON.stringify(`https://${host.split('/', 1)[0]}/*`)}: the host as a whole, then the path.`
}

function plainly(): string {
  return 'Write it as "git status*": a star stands for any text, and all else for itself.'
}

function within(pattern: string): string {
  return `Write ${JSON.stringify(withoutColon(bracketed(pattern)?.within ?? pattern))}.`
}

function squeezed(pattern: string): string {
  return `Write ${JSON.stringify(pattern.trim().replaceAll(/\s+/g, ' '))}.`
}

function foreignPattern({ line: { place, verdict }, argument, pattern }: Matched): PolicyRemark | null {
  const found = SHAPES[argument]?.find(([shape]) => shape.test(pattern))
  if (!found) return null
  const [, what, instead] = found
  return {
    ...{ code: 'foreign_syntax', place },
    message: `The pattern ${JSON.stringify(pattern)} ${what}, so ${DOES_NOTHING[verdict]} as it was meant.`,
    hint: instead(pattern),
  }
}

/** Reports a pattern that matches none of the few possible values of an argument. */
function unfitPattern(
  { line: { place, verdict }, argument, pattern }: Matched,
  tools: readonly KnownTool[],
): PolicyRemark | null {
  const values = tools.map(tool => valuesOf(argumentsOf(tool)?.[argument]))
  if (values.some(each => each === null || each.some(text => matchesGlob(pattern, text)))) return null
  const possible = [...new Set(values.flatMap(each => each ?? []))]
  return {
    ...{ code: 'never_matches', place },
    message: `No value of ${argument} matches ${JSON.stringify(pattern)}, so ${DOES_NOTHING[verdict]}.`,
    hint: `Its values: ${possible.join(', ')}.`,
  }
}

/** `null` if there are many. */
function valuesOf(schema: Json | undefined): readonly string[] | null {
  if (!isJsonObject(schema)) return null
  const { type, enum: listed, const: only } = schema
  const all = only === undefined ? listed : [only]
  if (Array.isArray(all)) return all.map((each: Json) => (typeof each === 'string' ? each : JSON.stringify(each)))
  return type === 'boolean' ? ['true', 'false'] : null
}
