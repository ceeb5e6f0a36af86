/** For the tests of boxes: commands in a box over a directory of their own. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { EffectRules } from '../../src/core/effect/effect-rules.ts'
import type { JsonObject } from '../../src/core/text/json.ts'
import { toolContext } from '../../src/testing/kit/tool-context.ts'
import { BOX_DEFAULTS, type BoxSettings } from '../../src/tools/box/machine/box-settings.ts'
import { boxMachine } from '../../src/tools/box/machine/machine.ts'
import { runCommand } from '../../src/tools/run-command/run-command.ts'

/** Where no box can be had, tests of boxes are skipped, unless the environment demands one. */
export async function hasBox(): Promise<boolean> {
  const { why } = await boxMachine()
  if (why !== null && process.env['HOLDPOINT_REQUIRE_BOX'] === '1') throw new Error(`a box is demanded: ${why}`)
  return why === null
}

const RULES: EffectRules = { write: ['**'], delete: ['**'], never: [], hosts: [], git: 'commit', drift: 'ask' }

export interface Boxed {
  readonly workdir: string
  readonly boxes: string
  run(command: string, given?: Given): Promise<JsonObject>
  files(): Readonly<Record<string, string>>
}

interface Given {
  readonly effects?: Partial<EffectRules>
  readonly key?: string
  readonly context?: Partial<Parameters<typeof toolContext>[0]>
  readonly timeout?: number
  readonly over?: 'overlay' | 'directory'
  readonly outside?: true
  readonly keep?: readonly string[]
  /** Where its store and its boxes are, if not in `.holdpoint`. */
  readonly place?: { readonly directory: string; readonly storeFile: string }
}

interface BoxGiven {
  readonly files?: Readonly<Record<string, string>>
  readonly settings?: Partial<BoxSettings>
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Default: its files are removed at the end of the test. */
  readonly onEnd?: (remove: () => void) => void
}

export function aBox({
  files = {},
  settings = {},
  environment = process.env,
  onEnd = onTestFinished,
}: BoxGiven = {}): Boxed {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-box-')))
  onEnd(() => rmSync(root, { recursive: true, force: true }))
  const [workdir, boxes] = [join(root, 'project'), join(root, 'project/.holdpoint/boxes')]
  for (const [path, text] of Object.entries({ '.holdpoint/holdpoint.db': 'secret', ...files })) {
    mkdirSync(dirname(join(workdir, path)), { recursive: true })
    writeFileSync(join(workdir, path), text)
  }
  const box = {
    directory: boxes,
    storeFile: join(workdir, '.holdpoint/holdpoint.db'),
    settings: { ...BOX_DEFAULTS, ...settings },
  }
  let calls = 0
  const run = async (
    command: string,
    { effects, key, context, timeout, over = 'overlay', outside, keep, place }: Given = {},
  ): Promise<JsonObject> => {
    const given = {
      workdir,
      runId: `run_${root}`,
      idempotencyKey: key ?? `call_${calls++}`,
      boxed: { over, effects: { ...RULES, ...effects }, observes: false },
      ...context,
    }
    const args = {
      command,
      ...(outside && { outside }),
      ...(keep && { keep }),
      ...(timeout !== undefined && { timeout_seconds: timeout }),
    }
    const tool = runCommand({ box: { ...box, ...place }, environment })
    return (await tool.execute(args, toolContext(given))) as JsonObject
  }
  return { workdir, boxes, run, files: () => filesIn(workdir) }
}

function filesIn(directory: string, below = ''): Readonly<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const entry of readdirSync(join(directory, below), { withFileTypes: true })) {
    const path = join(below, entry.name)
    if (entry.isDirectory() && entry.name !== '.holdpoint') Object.assign(files, filesIn(directory, path))
    else if (entry.isFile()) files[path] = readFileSync(join(directory, path), 'utf8')
  }
  return files
}
