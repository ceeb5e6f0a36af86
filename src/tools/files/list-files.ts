import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import { described, type FitsAll, text, whole } from '../../core/text/json-schema.ts'
import type { Tool, ToolContext } from '../../ports/agent/tool.ts'
import { BUILT_IN_VERSION } from '../define/built-in-version.ts'
import { defineTool } from '../define/define-tool.ts'
import { onPath } from './file-error.ts'
import { inspectPath } from './inspect-path.ts'
import { type FileOptions, reach } from './locate.ts'
import { matchesPath } from './matches-path.ts'
import { hiddenIn } from './secret-file.ts'

const MOST_ENTRIES = 1000
const DEEPEST = 32
/** Folders that are listed only if they are asked for by path. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules'])

export function listFiles(options: FileOptions = {}): Tool {
  return defineTool({
    name: 'list_files',
    description:
      'Lists a directory, sorted; directories end with a slash. .git and node_modules are left out unless `path` ' +
      `leads into them. At most ${MOST_ENTRIES} entries are returned; \`more\` tells whether there are more.`,
    inputSchema: INPUT_SCHEMA,
    version: BUILT_IN_VERSION,
    idempotent: true,
    inspect: ({ path = '.' }, workdir, rulesFrom) => inspectPath({ path, workdir, rulesFrom, writes: false }),
    execute: (args: Arguments, context) => execute(args, context, options),
  })
}

const FIELDS = {
  path: text('The directory. Default: the working directory.'),
  pattern: text('Only what matches, e.g. "*.ts" (at any depth), "src/**/*.{ts,tsx}" (relative to `path`).'),
  depth: described(whole(1, DEEPEST), `How many levels. Default: 1, with a pattern ${DEEPEST}.`),
}
const INPUT_SCHEMA = { type: 'object', properties: FIELDS, additionalProperties: false }
type Arguments = FitsAll<typeof FIELDS>

async function execute(
  { path = '.', pattern, depth = pattern === undefined ? 1 : DEEPEST }: Arguments,
  { workdir, abortSignal, leadsTo, boxed }: ToolContext,
  options: FileOptions,
): Promise<Json> {
  const { real, shown } = await reach(workdir, path, { ...options, leadsTo })
  const isHidden = await hiddenIn(workdir, boxed?.effects.never)
  const walked = walk({ directory: real, prefix: '', depth, isHidden })
  const found = await onPath(path, () => firstOf(walked, abortSignal, entry => isWanted(entry, pattern)))
  return { path: shown, entries: found.slice(0, MOST_ENTRIES), more: found.length > MOST_ENTRIES }
}

/** Reads one more than may be returned, to know whether there are more. */
async function firstOf(
  entries: AsyncIterable<string>,
  signal: AbortSignal,
  wanted: (entry: string) => boolean,
): Promise<string[]> {
  const found: string[] = []
  for await (const entry of entries) {
    if (signal.aborted) throw new ToolError('TOOL_CALL_INTERRUPTED', 'Listing was stopped before it ended.')
    if (wanted(entry)) found.push(entry)
    if (found.length > MOST_ENTRIES) break
  }
  return found
}

function isWanted(entry: string, pattern: string | undefined): boolean {
  return pattern === undefined || matchesPath(pattern, entry.replace(/\/$/, ''))
}

interface Level {
  readonly directory: string
  readonly prefix: string
  readonly depth: number
  readonly isHidden: (real: string, isDirectory: boolean) => boolean
}

/** In code-unit order of the whole path. Links are listed and not followed, so that it ends and stays inside. */
async function* walk({ directory, prefix, depth, isHidden }: Level): AsyncGenerator<string> {
  const children = await readdir(directory, { withFileTypes: true })
  const names = children
    .filter(child => !SKIPPED.has(child.name) && !isHidden(join(directory, child.name), child.isDirectory()))
    .map(child => (child.isDirectory() ? `${child.name}/` : child.name))
    .sort()
  for (const name of names) {
    yield prefix + name
    if (depth > 1 && name.endsWith('/'))
      yield* below({ directory: join(directory, name), prefix: prefix + name, depth, isHidden })
  }
}

/** A directory inside that cannot be read is listed all the same. */
async function* below({ depth, ...level }: Level): AsyncGenerator<string> {
  try {
    yield* walk({ ...level, depth: depth - 1 })
  } catch (thrown) {
    if (thrown instanceof ToolError) throw thrown
  }
}
