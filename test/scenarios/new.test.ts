import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { patienceMs } from '../patience.ts'
import { aProject, CLI, command, Project } from './project.ts'
import { aServer } from './server/server-process.ts'

const NEXT = 'Raise the price of tea by 0.50'

async function modulesOf(project: Project): Promise<string> {
  const modules = project.path('node_modules')
  await mkdir(modules, { recursive: true })
  return modules
}

/** A directory with the new project `shop`. */
async function aShop(): Promise<Project> {
  const project = await aProject()
  expect(await project.holdpoint('new', 'shop', '--json')).toMatchObject({ exit: 0, stderr: '' })
  return project
}

test('new makes a project that pauses without a key, an installation or a question of trust, and an approval changes its file', async () => {
  await using project = await aShop()
  const cwd = project.path('shop')
  const paused = await project.run(['-a', '-o', 'json', NEXT], { cwd })
  expect(paused).toMatchObject({ exit: 10, stderr: '', json: { pause_reason: { type: 'tool_approval_required' } } })
  const [call] = paused.json.pause_reason.pending_tool_calls
  expect(call).toMatchObject({ name: 'change_price', arguments: { product: 'tea', by: 0.5 } })
  const [hold] = (await project.run(['holds', '--json'], { cwd })).json
  const shown = await project.run(['show', hold.id], { cwd })
  expect(shown.stdout).toMatch(/-\s+"tea": 3,[\s\S]+\+\s+"tea": 3\.5,/)
  expect(JSON.parse(await project.read('shop/prices.json'))).toEqual({ tea: 3, coffee: 4 })
  const done = await project.run(['approve', hold.id, '--advance'], { cwd })
  expect(done).toMatchObject({ exit: 0 })
  expect(done.stdout).toContain('The price of tea is raised.')
  expect(JSON.parse(await project.read('shop/prices.json'))).toEqual({ tea: 3.5, coffee: 4 })
})

test('npm create holdpoint makes the same project', async () => {
  await using project = await aProject()
  const root = join(import.meta.dirname, '../..')
  for (const [name, path] of [
    ['holdpoint', root],
    ['create-holdpoint', join(root, 'create-holdpoint')],
  ] as const)
    await symlink(path, join(await modulesOf(project), name))
  const bin = project.path('node_modules/create-holdpoint/bin.js')
  const create = promisify(execFile)(
    process.execPath,
    ['--preserve-symlinks', '--preserve-symlinks-main', bin, 'shop'],
    {
      cwd: project.directory,
      env: { ...project.environment },
    },
  )
  expect((await create).stdout).toContain('shop')
  await using other = await aShop()
  expect(await readdir(project.path('shop'))).toEqual(await readdir(other.path('shop')))
})

test('a server in the project advances its runs, after decisions that are made over HTTP', async () => {
  await using home = await aShop()
  const shop = new Project(home.path('shop'), { HOME: home.directory })
  await using server = await aServer(shop)
  const { run_id } = (await server.send('/v1/threads', { body: { input: NEXT } })).json
  const open = async () => (await server.send('/v1/holds?status=open')).json.holds
  await expect.poll(open, { timeout: patienceMs() }).toMatchObject([{ run_id, tool: 'change_price' }])
  const [{ id }] = await open()
  await server.send(`/v1/holds/${id}/decisions`, { body: { verdict: 'approve' } })
  const prices = async () => JSON.parse(await shop.read('prices.json')).tea
  await expect.poll(prices, { timeout: patienceMs() }).toBe(3.5)
})

test('the first commands of its README end as they say', async () => {
  await using project = await aShop()
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(await project.read('shop/README.md')) ?? []
  const lines = block.trim().split('\n')
  // The last one opens a browser and stays.
  expect(lines.pop()).toMatch(/^holdpoint inbox\b/)
  expect(lines.length).toBe(2)
  for (const line of lines) {
    const shell = `holdpoint() { ${process.execPath} ${CLI} "$@"; }\n${line}`
    const env = { ...project.environment }
    const run = promisify(execFile)('sh', ['-c', shell], { cwd: project.path('shop'), env })
    const exit = await run.then(
      () => 0,
      ({ code }: { code: number }) => code,
    )
    expect(exit, line).toBe(Number(/# exit (\d+)/.exec(line)?.[1] ?? 0))
  }
  expect(JSON.parse(await project.read('shop/prices.json'))).toMatchObject({ tea: 3.5 })
})

test('new lists all that it wrote, under the name of the project, and its next command pauses as it is', async () => {
  await using project = await aProject()
  const { json } = await project.holdpoint('new', 'tea-house.2', '--json')
  const files = (await readdir(project.path('tea-house.2'), { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(entry => `${entry.parentPath}/${entry.name}`)
  const listed = json.files.map(({ path }: { path: string }) => path)
  expect(listed.toSorted()).toEqual(files.filter(path => !path.endsWith('.holdpoint/.gitignore')).toSorted())
  expect(JSON.parse(await project.read('tea-house.2/package.json'))).toMatchObject({
    name: 'tea-house.2',
    private: true,
  })
  const texts = await Promise.all(files.map(path => readFile(path, 'utf8')))
  expect(texts.filter(text => text.includes('starter'))).toEqual([])
  const shell = `holdpoint() { ${process.execPath} ${CLI} -a "$@"; }\n${json.next}`
  const env = { ...project.environment }
  const failed = await promisify(execFile)('sh', ['-c', shell], { cwd: project.directory, env }).catch(thrown => thrown)
  expect(failed).toMatchObject({ code: 10 })
})

test('a project of a checkout depends on that checkout', async () => {
  await using project = await aShop()
  const { dependencies } = JSON.parse(await project.read('shop/package.json'))
  expect(dependencies).toEqual({ holdpoint: `file:${process.cwd()}` })
})

test('its policy lets its own test run, and asks about other commands', async () => {
  await using project = await aShop()
  const ruling = async (text: string) =>
    (
      await project.run(['policy', 'check', text, '--agent', 'clerk', '--json'], {
        cwd: project.path('shop'),
        // The same on every machine: what would run in a box is asked about where there is none.
        env: { HOLDPOINT_BOX: 'off' },
      })
    ).json.policy
  await project.write('shop/.holdpoint/agents/clerk.md', 'Work.')
  expect(await Promise.all(['npm test', 'npm publish'].map(ruling))).toEqual(['auto', 'prompt'])
})

test('new takes an empty directory for its place', async () => {
  await using project = await aProject()
  await mkdir(project.path('shop'))
  expect(await project.holdpoint('new', 'shop')).toMatchObject({ exit: 0 })
  expect(project.exists('shop/agent.ts')).toBe(true)
})

test.each([
  ['a directory with a file', 'shop/notes.txt'],
  ['a directory with a hidden file', 'shop/.env'],
  ['a file', 'shop'],
])('new refuses %s of that name, and changes nothing', async (_, path) => {
  await using project = await aProject({ files: { [path]: 'mine' } })
  const refused = await project.holdpoint('new', 'shop', '--json')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'file_exists' } } })
  expect(await project.read(path)).toBe('mine')
  expect(await entriesOf(project)).toEqual(path.includes('/') ? ['shop', path] : ['shop'])
})

test('new refuses a link of that name, also one to an empty directory, and one that leads nowhere', async () => {
  await using project = await aProject()
  await mkdir(project.path('empty'))
  await symlink('empty', project.path('shop'))
  await symlink('nowhere', project.path('store'))
  for (const name of ['shop', 'store'])
    expect(await project.holdpoint('new', name, '--json')).toMatchObject({
      exit: 2,
      json: { error: { code: 'file_exists' } },
    })
  expect(await entriesOf(project)).toEqual(['empty', 'shop', 'store'])
})

test.each([
  [[]],
  [['']],
  [['my shop']],
  [['shop', 'two']],
  [['Shop']],
  [['../shop']],
  [['a/b']],
  [['/tmp/shop']],
  [['.']],
  [['.shop']],
  [['shop.']],
  [['-shop-']],
  [['shop.ts']],
  [['_shop']],
  [['läden']],
  [['раура']],
  [['shop\n']],
  [['a'.repeat(65)]],
  [['node_modules']],
  [['holdpoint']],
])('new refuses %j as the name of a project, and writes nothing', async words => {
  await using project = await aProject()
  const refused = await project.holdpoint('new', '--json', '--', ...words)
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'invalid_arguments' } } })
  expect(refused.json.error.hint).toContain('holdpoint new shop')
  expect(await entriesOf(project)).toEqual([])
})

test('in a directory that may not be written new says so, and leaves nothing behind', async () => {
  // Also root may write nothing there.
  await using project = await aProject()
  const refused = await project.run(['new', 'shop', '--json'], { cwd: '/proc/self' })
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'unusable_directory' } } })
  expect(refused.json.error.message).toContain('/shop cannot be written')
})

test('if a project is not trusted because no record can be kept, its next command asks for that', async () => {
  await using project = await aProject({ files: { config: 'a file' } })
  const { json } = await project.run(['new', 'shop', '--json'], { env: { XDG_CONFIG_HOME: project.path('config') } })
  expect(json.next).toBe(`cd shop && holdpoint trust && holdpoint '${NEXT}'`)
})

test('P1: no agent makes a project', async () => {
  const make = `${process.execPath} ${CLI} new shop --json > out.json`
  await using project = await aProject({ script: [{ calls: [command('t1', make)] }, 'Done.'] })
  await project.holdpoint('go')
  expect(JSON.parse(await project.read('out.json'))).toMatchObject({ error: { code: 'agent_cannot_init' } })
  expect(project.exists('shop')).toBe(false)
})

/** All below the directory, sorted, but for what Holdpoint keeps for its user. */
async function entriesOf(project: Project): Promise<string[]> {
  const entries = await readdir(project.directory, { recursive: true })
  return entries.filter(entry => !/^\.(cache|config)\b/.test(entry)).toSorted()
}
