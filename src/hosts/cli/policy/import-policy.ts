/** `policy import`: the rules that a person has in another product, as a policy on stdout. It changes nothing. */
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { claudeEntries } from '../../../core/policy/import/claude-entries.ts'
import { codexEntries, codexSettings } from '../../../core/policy/import/codex-entries.ts'
import {
  type ImportedPolicy,
  joined,
  type LeftOut,
  policyOf,
  type Translated,
} from '../../../core/policy/import/entries.ts'
import { geminiEntries } from '../../../core/policy/import/gemini-entries.ts'
import type { Json } from '../../../core/text/json.ts'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { readJsonc, readText } from '../../process/read-text.ts'
import { projectRoot } from '../../project/project-root.ts'
import { homeOf } from '../../project/user-directory.ts'
import { policyRefusals } from '../../refusals/policy-refusals.ts'

interface Product {
  /** Below the home of the user, and below the project. */
  readonly files: readonly string[]
  readonly read: (path: string, home: string) => Promise<Translated>
}

const PRODUCTS: Readonly<Record<string, Product>> = {
  claude: {
    files: ['.claude/settings.json', '.claude/settings.local.json'],
    read: async (path, home) => claudeEntries(await settingsIn(path), home),
  },
  codex: {
    files: ['.codex/rules/*.rules', '.codex/config.toml'],
    read: async path => {
      const text = await readText(path, 'The text')
      return path.endsWith('.toml') ? codexSettings(text) : codexEntries(text)
    },
  },
  gemini: {
    files: ['.gemini/settings.json'],
    read: async path => geminiEntries(await settingsIn(path)),
  },
}

export async function importPolicy({ given, io, json, directory, env }: CommandContext): Promise<number> {
  const [, name = '', ...named] = given.words
  const product = Object.hasOwn(PRODUCTS, name) ? PRODUCTS[name] : undefined
  if (!product) throw policyRefusals.unknownProduct(name, Object.keys(PRODUCTS))
  const home = homeOf(env)
  const files =
    named.length > 0 ? named.map(file => resolve(directory, file)) : usualFiles(product, [home, projectRoot(directory)])
  if (files.length === 0) throw policyRefusals.nothingToImport(name, product.files)
  const read = await Promise.all(files.map(file => product.read(file, home)))
  const { policy, left_out } = policyOf(joined(read))
  io.out(json ? jsonLine(policy) : policyText(policy))
  io.err(toldOf(files, { left_out, rules: read.flatMap(({ entries }) => entries).length }))
  return 0
}

async function settingsIn(path: string): Promise<Json> {
  return (await readJsonc(path, { code: 'invalid_policy', what: 'The text' })) as Json
}

function usualFiles({ files }: Product, roots: readonly string[]): readonly string[] {
  const all = [...new Set(roots)].flatMap(root => files.flatMap(file => filesLike(join(root, file))))
  return all.filter(file => existsSync(file))
}

/** `rules/*.rules` is each such file of the directory. */
function filesLike(path: string): readonly string[] {
  const [folder, ending] = path.split('/*')
  if (folder === undefined || ending === undefined) return [path]
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter(name => name.endsWith(ending))
  return names.toSorted().map(name => join(folder, name))
}

/** A rule a line, so that it can be read through. */
function policyText({ tools, rules, ...policy }: ImportedPolicy['policy']): string {
  const listed = (lines: readonly string[]) => (lines.length === 0 ? '' : `\n    ${lines.join(',\n    ')}\n  `)
  const named = Object.entries(tools).map(([tool, verdict]) => `${JSON.stringify(tool)}: ${JSON.stringify(verdict)}`)
  const ruled = rules.map(({ tool, match, policy: verdict }) => {
    const patterns = Object.entries(match).map(
      ([name, pattern]) => `${JSON.stringify(name)}: ${JSON.stringify(pattern)}`,
    )
    return `{ "tool": ${JSON.stringify(tool)}, "match": { ${patterns.join(', ')} }, "policy": ${JSON.stringify(verdict)} }`
  })
  const { default: otherwise } = policy
  return `{\n  "default": ${JSON.stringify(otherwise)},\n  "tools": {${listed(named)}},\n  "rules": [${listed(ruled)}]\n}\n`
}

interface Told {
  readonly left_out: readonly LeftOut[]
  /** How many lines of theirs have an equal here. */
  readonly rules: number
}

function toldOf(files: readonly string[], { left_out, rules }: Told): string {
  const lines = [
    `Read ${files.join(', ')}.`,
    ...(rules === 0 ? ['No rule in there has an equal here: the policy has the usual lines alone.'] : []),
    ...left_out.map(({ written, why }) => `Left out: ${written} (${why})`),
    'Nothing was written. Look at it, keep it as .holdpoint/policy.json, and run `holdpoint doctor`.',
  ]
  return `${lines.map(visibleLine).join('\n')}\n`
}
