import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Json } from '../../core/text/json.ts'
import { described, type Fits, FLAG, object, text, whole } from '../../core/text/json-schema.ts'
import type { Tool, ToolContext } from '../../ports/agent/tool.ts'
import { BUILT_IN_VERSION } from '../define/built-in-version.ts'
import { defineTool } from '../define/define-tool.ts'
import { onPath } from '../files/file-error.ts'
import { inspectPath } from '../files/inspect-path.ts'
import { type FileOptions, type LocatedPath, reach } from '../files/locate.ts'
import { matchesPath } from '../files/matches-path.ts'
import { openFile } from '../files/open-file.ts'
import { refuseSecretFile } from '../files/secret-file.ts'
import { FoundLines } from './found-lines.ts'
import { MatchingLines } from './matching-lines.ts'
import { type WalkedFile, walkProject } from './walk-project.ts'

const MOST_CONTEXT = 10
/** Larger files are data, not text that somebody wrote. */
const LARGEST_BYTES = 4 * 1024 * 1024

export function searchFiles(options: FileOptions = {}): Tool {
  return defineTool({
    name: 'search_files',
    description:
      'Finds the lines of files that match a regular expression, in one file or in all below a directory, without what ' +
      '.gitignore names. `content` has each file and its lines as "12:text" (lines around a match as "11-text"); `more` ' +
      'tells whether there are more.',
    inputSchema: INPUT_SCHEMA,
    version: BUILT_IN_VERSION,
    idempotent: true,
    inspect: ({ path = '.' }, workdir, rulesFrom) => inspectPath({ path, workdir, rulesFrom, writes: false }),
    execute: (args: Arguments, context) => execute(args, context, options),
  })
}

const INPUT_SCHEMA = object(
  {
    pattern: text('A regular expression of JavaScript, tried on each line by itself.'),
    path: text('A directory or a file. Default: the working directory.'),
    glob: text('Only files whose path matches, e.g. "*.ts" (at any depth), "src/**/*.{ts,tsx}" (relative to `path`).'),
    literal: described(FLAG, 'Look for the text of `pattern` as it is.'),
    ignore_case: FLAG,
    context: described(whole(0, MOST_CONTEXT), 'Lines to show before and after each match. Default: 0.'),
  },
  ['pattern'],
)
type Arguments = Fits<typeof INPUT_SCHEMA>

async function execute(args: Arguments, context: ToolContext, options: FileOptions): Promise<Json> {
  const { pattern, path = '.', literal = false, ignore_case = false } = args
  const matching = new MatchingLines({ pattern, isLiteral: literal, ignoreCase: ignore_case })
  const place = await reach(context.workdir, path, { ...options, leadsTo: context.leadsTo })
  const found = new FoundLines(args.context ?? 0)
  await onPath(path, async () => {
    for await (const file of filesAt(place, context, args.glob)) {
      const lines = await linesOf(file.real)
      found.add(file.path, lines, matching.in(lines, found.room))
      if (found.isFull) return
    }
  })
  return { path: place.shown, ...found.asJson() }
}

async function* filesAt(
  { real, shown }: LocatedPath,
  { workdir, abortSignal: signal, boxed }: ToolContext,
  glob: string | undefined,
): AsyncGenerator<WalkedFile> {
  if (!(await stat(real)).isDirectory()) {
    refuseSecretFile(real, shown)
    yield { real, path: basename(real) }
    return
  }
  for await (const file of walkProject({ real, workdir, signal, never: boxed?.effects.never }))
    if (glob === undefined || matchesPath(glob, file.path)) yield file
}

/** None if the file is no text, too large, or gone. */
async function linesOf(real: string): Promise<string[]> {
  const bytes = await read(real).catch(() => null)
  return bytes === null || bytes.includes(0) ? [] : bytes.toString().split(/\r?\n/)
}

async function read(real: string): Promise<Buffer | null> {
  await using file = await openFile(real)
  return (await file.stat()).size > LARGEST_BYTES ? null : await file.readFile()
}
