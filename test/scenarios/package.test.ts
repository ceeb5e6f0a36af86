/**
 * The packed package in a project of a user. It is unpacked, and its one dependency and the user's own tools are linked:
 * no registry is asked, so what npm makes of the dependencies is not tested here.
 */
import { execFile } from 'node:child_process'
import { copyFile, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messageOf } from '../../src/core/errors.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const FILES = join(import.meta.dirname, 'package')
/** The tools of a user: the types of Node with their only dependency, and those that a test names itself. */
const LINKED = [
  '@standard-schema/spec',
  '@types/node',
  'undici-types',
  'vitest',
  'zod',
  'valibot',
  '@valibot/to-json-schema',
]
const MOST_BYTES = 20_000_000

const run = promisify(execFile)
let app: string

beforeAll(async () => {
  app = await mkdtemp(join(tmpdir(), 'holdpoint-package-'))
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', app], { cwd: ROOT })
  const [tarball = ''] = (await readdir(app)).filter(file => file.endsWith('.tgz'))
  const installed = join(app, 'node_modules/holdpoint')
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', join(app, tarball), '-C', installed, '--strip-components=1'])
  for (const name of LINKED) await link(name)
  await writeFile(join(app, 'package.json'), '{ "name": "app", "type": "module" }\n')
  await copyFile(join(FILES, 'consumer.ts'), join(app, 'consumer.ts'))
  await copyFile(join(FILES, 'agent-spec.ts'), join(app, 'agent.test.ts'))
  await copyFile(join(ROOT, 'examples/library.ts'), join(app, 'library.ts'))
})

afterAll(async () => {
  await rm(app, { recursive: true, force: true, maxRetries: 10 })
})

async function link(name: string): Promise<void> {
  const path = join(app, 'node_modules', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(join(ROOT, 'node_modules', name), path)
}

/** What `tsc` says of `files` if libraries are checked too. */
async function typeFaults(files: readonly string[], resolution: object): Promise<string> {
  const options = { target: 'es2024', lib: ['es2024', 'esnext.disposable'], types: ['node'], noEmit: true }
  const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false }
  const config = join(app, 'tsconfig.json')
  await writeFile(config, JSON.stringify({ compilerOptions: { ...options, ...strict, ...resolution }, files }))
  return await printedBy(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config)
}

test('its types are sound for nodenext, and need no package but those that it installs', async () => {
  await rm(join(app, 'node_modules/vitest'))
  try {
    expect(await typeFaults(['consumer.ts', 'library.ts'], { module: 'nodenext' })).toBe('')
  } finally {
    await link('vitest')
  }
})

test('its types pass with what `tsc --init` writes, also if libraries are checked and there are no types of Node', async () => {
  const stock = join(app, 'stock')
  await mkdir(stock)
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [tsc, '--init'], { cwd: stock })
  await copyFile(join(FILES, 'consumer.ts'), join(stock, 'consumer.ts'))
  const config = await readFile(join(stock, 'tsconfig.json'), 'utf8')
  expect(config).toMatch(/^ *"types": \[\]/m)
  expect(await printedBy(tsc, '-p', stock, '--noEmit', '--skipLibCheck', 'false')).toBe('')
})

test('its types are sound for bundlers, beside those of vitest', async () => {
  const resolution = { module: 'esnext', moduleResolution: 'bundler' }
  expect(await typeFaults(['consumer.ts', 'agent.test.ts'], resolution)).toBe('')
})

const VALIBOT = `import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { defineTool } from 'holdpoint'
import * as v from 'valibot'

const schema = v.object({ order: v.string(), amount: v.optional(v.number(), 1) })
const tool = defineTool({
  name: 'refund',
  inputSchema: toStandardJsonSchema(schema),
  execute: ({ order, amount }) => order.toUpperCase() + amount.toFixed(),
})
console.log(JSON.stringify([tool.inputSchema, await tool.validate({ order: '7' }), await tool.validate({ order: 7 })]))
`

test('a valibot schema works through its converter; alone it does not compile, and the compiler names the converter', async () => {
  const alone = VALIBOT.replace('toStandardJsonSchema(schema)', 'schema')
  await writeFile(join(app, 'valibot.ts'), VALIBOT)
  await writeFile(join(app, 'alone.ts'), alone)
  const faults = await typeFaults(['valibot.ts', 'alone.ts'], { module: 'nodenext' }).catch(messageOf)
  expect(faults.match(/^\S+\.ts\(\d+/gm)).toEqual(['alone.ts(8'])
  expect(faults).toContain('valibot: toStandardJsonSchema(schema) from @valibot/to-json-schema')
  const [inputSchema, validated, refused] = JSON.parse(await printedBy(join(app, 'valibot.ts')))
  expect(inputSchema).toMatchObject({ type: 'object', required: ['order'] })
  expect(validated).toEqual({ ok: true, value: { order: '7', amount: 1 } })
  expect(refused).toEqual({ ok: false, issues: expect.stringContaining('arguments.order: ') })
})

test('the library example runs', async () => {
  expect(await printedBy(join(app, 'library.ts'))).toContain('recorded, already_decided\nDone: paid 250 for 7')
})

const SCRIPTED = `import { defineAgent, openHoldpoint } from 'holdpoint'

await using holdpoint = await openHoldpoint({
  store: 'memory:',
  agents: [defineAgent({ name: 'greeter', model: 'script:script.yaml' })],
})
const run = await holdpoint.start({ agent: 'greeter', input: 'say hello' })
const state = await holdpoint.advance(run.id)
console.log('answer' in state ? state.answer || state.termination : state.status)
`

test('a program that esbuild made one file of runs alone', async () => {
  expect(await printedByBundle('consumer.ts')).toBe('waiting recorded Done. function\n')
})

test('a bundled program reads a script in YAML', async () => {
  await writeFile(join(app, 'scripted.ts'), SCRIPTED)
  await writeFile(join(app, 'script.yaml'), '- text: Hello.\n')
  expect(await printedByBundle('scripted.ts')).toBe('Hello.\n')
})

async function printedByBundle(entry: string): Promise<string> {
  const away = await mkdtemp(join(tmpdir(), 'holdpoint-bundle-'))
  try {
    const outfile = join(away, 'program.mjs')
    await build({
      entryPoints: [join(app, entry)],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      external: ['vitest'],
      logLevel: 'silent',
    })
    expect(await readdir(away)).toEqual(['program.mjs'])
    return await printedBy(outfile)
  } finally {
    await rm(away, { recursive: true, force: true, maxRetries: 10 })
  }
}

test('a vitest test of an agent passes', async () => {
  const printed = await printedBy(join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', app, '--no-color')
  expect(printed).toContain('Tests  1 passed')
})

test('a project of `holdpoint new` passes its own test and the compiler, and depends on this version', async () => {
  const shop = join(app, 'shop')
  await printedBy(join(app, 'node_modules/holdpoint/dist/cli/bin.js'), 'new', 'shop')
  const { dependencies, scripts } = JSON.parse(await readFile(join(shop, 'package.json'), 'utf8'))
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  expect(dependencies).toEqual({ holdpoint: version })
  expect(scripts).toEqual({ test: 'node --test', check: 'tsc' })
  const tested = await run(process.execPath, ['--test', '--test-reporter=tap'], { cwd: shop, env: {} })
  expect(tested.stdout).toMatch(/^# pass 2$[\s\S]*^# fail 0$/m)
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  expect(await printedBy(tsc, '-p', shop, '--skipLibCheck', 'false')).toBe('')
})

test('the command line runs, and has the providers, MCP and YAML with it', async () => {
  await writeFile(join(app, 'script.yaml'), '- text: Hello.\n')
  const cli = join(app, 'node_modules/holdpoint/dist/cli/bin.js')
  expect(await printedBy(cli, '--model', 'script:script.yaml', 'say hello')).toContain('Hello.')
  const vendored = await readdir(join(app, 'node_modules/holdpoint/dist/vendor'))
  expect(vendored).toEqual(expect.arrayContaining(['anthropic.js', 'mcp-server.js', 'yaml.js', 'LICENSES.txt']))
})

test('it takes at most 20 MB with its dependencies, and no package is in it twice', async () => {
  const manifest = JSON.parse(await readFile(join(app, 'node_modules/holdpoint/package.json'), 'utf8'))
  const dependencies = Object.keys(manifest.dependencies)
  // Types that a user's program names: they may not be another copy.
  expect(dependencies).toEqual(['@standard-schema/spec'])
  const sizes = [join(app, 'node_modules/holdpoint'), ...dependencies.map(name => join(ROOT, 'node_modules', name))]
  const bytes = (await Promise.all(sizes.map(bytesIn))).reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeLessThan(MOST_BYTES)
})

test('no file of it has `using` as esbuild lowers it: rounds of a loop would share one error', async () => {
  const dist = join(app, 'node_modules/holdpoint/dist')
  const files = (await readdir(dist, { recursive: true })).filter(file => /\.c?js$/.test(file))
  const texts = await Promise.all(files.map(async file => ({ file, text: await readFile(join(dist, file), 'utf8') })))
  expect(texts.filter(({ text }) => /\busing \w+ ?=/.test(text)).map(({ file }) => file)).toContain('cli/run.js')
  expect(texts.filter(({ text }) => text.includes('__callDispose')).map(({ file }) => file)).toEqual([])
})

test('its manifest says where the sources are', async () => {
  const manifest = JSON.parse(await readFile(join(app, 'node_modules/holdpoint/package.json'), 'utf8'))
  expect(manifest.repository).toEqual({ type: 'git', url: expect.stringMatching(/^git\+https:.*\/holdpoint\.git$/) })
})

test('the change log, the schemas and the security pages come with it, and tell of this version', async () => {
  const installed = join(app, 'node_modules/holdpoint')
  const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(await readFile(join(installed, 'CHANGELOG.md'), 'utf8')).toContain(`\n## ${version}\n`)
  const files = await readdir(installed, { recursive: true })
  const expected = [
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'docs/security.md',
    'docs/commands.md',
    'docs/errors.md',
    'schemas/policy.schema.json',
  ]
  expect(files).toEqual(expect.arrayContaining(expected))
})

test('every page, picture and file that the README and the pages link to comes with it', async () => {
  const installed = join(app, 'node_modules/holdpoint')
  const files = (await readdir(installed, { recursive: true })).filter(file => !file.startsWith('dist/'))
  const there = new Set(files)
  const missing: string[] = []
  for (const page of ['README.md', ...files.filter(file => /^docs\/[\w-]+\.md$/.test(file))]) {
    const text = await readFile(join(installed, page), 'utf8')
    for (const [, link = ''] of text.matchAll(/\]\(([^)#\s]+)/g)) {
      const target = join(dirname(page), link).replace(/\/$/, '')
      if (!/^https?:/.test(link) && !there.has(target)) missing.push(`${page}: ${link}`)
    }
  }
  expect(there).toContain('docs/pause.svg')
  expect(missing).toEqual([])
})

/** Runs a script in the project with this Node, and resolves to its stdout. @throws Error with what it printed */
async function printedBy(script: string, ...args: string[]): Promise<string> {
  try {
    const env = { PATH: process.env['PATH'], HOME: app, NO_COLOR: '1', CI: 'true' }
    return (await run(process.execPath, [script, ...args], { cwd: app, env })).stdout
  } catch (thrown) {
    const { stdout, stderr } = thrown as { stdout: string; stderr: string }
    throw new Error(`${script} failed:\n${stdout}${stderr}`, { cause: thrown })
  }
}

async function bytesIn(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true })
  const sizes = await Promise.all(entries.map(async entry => (await lstat(join(directory, entry))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
