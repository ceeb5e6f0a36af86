/** `npm run shots`: pictures of each main view in `shots/`, for people to look at. They are kept out of git. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { command } from '../scenarios/project.ts'
import { aCorpusScene, type CorpusScene } from './corpus/corpus-scene.ts'
import { fillWithHolds } from './filled-store.ts'
import { aFleetScene, STAYS } from './fleet-scene.ts'
import { aBrowser, aPage, aScene, DESKTOP, PHONE, type Scene, signedIn } from './scene.ts'

const OUT = 'shots'

/** An agent that has others work for it. */
const DELEGATES = [
  {
    calls: [
      {
        ...{ id: 't1', name: 'subagent_task' },
        args: { prompt: 'Build the docs', model: 'script:child.json', tools: ['run_command'] },
      },
      { id: 't2', name: 'run_command_task', args: { title: 'nightly build', command: 'echo built' } },
    ],
  },
  'Both are under way.',
]
const CHILD = [
  { text: 'I am about to build the docs.', calls: [command('child', 'npm run docs -- --strict')] },
  'The docs are built.',
]

const FRIDAY = 'Not on a Friday: the people who know the shop are away until Monday.'

const SIZES = {
  wide: { ...DESKTOP, viewport: { width: 1440, height: 900 } },
  narrow: { ...DESKTOP, viewport: { width: 1024, height: 768 } },
  phone: PHONE,
  small: { ...PHONE, viewport: { width: 360, height: 740 } },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>

const LOOKS = Object.entries(SIZES).flatMap(([size, context]) =>
  (['light', 'dark'] as const).map(colorScheme => ({
    name: `${size}-${colorScheme}`,
    context: { ...context, colorScheme } as BrowserContextOptions,
  })),
)

await mkdir(OUT, { recursive: true })
await using scene = await aCorpusScene()
await using empty = await aScene({ script: [] })
await using full = await aFullScene()
await using fleet = await aFleetScene()
await fillFleet()
const browser = await aBrowser()
const ids = await filled(scene)
const [only] = process.argv.slice(2)
for (const { name, context } of LOOKS.filter(look => only === undefined || look.name === only)) {
  await shoot(name, context)
  await shootRooms(name, context)
  await shootEdges(name, context)
  await shootFleet(name, context)
}
await browser.close()

/** 10,000 open holds. */
async function aFullScene(): Promise<Scene> {
  const made = await aScene({ script: [] }, '--no-work')
  await fillWithHolds(made.project.directory, 10_000)
  return made
}

function shooter(look: string) {
  return (page: Page, name: string) => page.screenshot({ path: join(OUT, `${name}.${look}.png`) })
}

/** The rooms beside the inbox. */
async function shootRooms(look: string, context: BrowserContextOptions): Promise<void> {
  const shot = shooter(look)
  const page = await signedIn(browser, scene.url, context)
  const rooms: readonly (readonly [name: string, path: string, text: string | RegExp])[] = [
    ['runs', '/runs', 'Release 1.4.3'],
    ['run', `/runs/${ids.run}`, /npm test/],
    ['run-done', `/runs/${ids.doneRun}`, 'What happened'],
    ['thread', `/threads/${ids.thread}`, 'npm test'],
    ['thread-done', `/threads/${ids.doneThread}`, 'All of it is'],
    ['task', `/tasks/${ids.task}`, 'Build the docs'],
    ['grants', '/grants', 'Given by'],
    ['audit', '/audit?show=everything', /signed in|saw/],
    ['search', '/search?words=shop', 'shop'],
    ['load', '/load', 'Over time'],
  ]
  for (const [name, path, text] of rooms) {
    await page.goto(scene.url + path)
    await page.getByText(text).first().waitFor()
    await shot(page, `room-${name}`)
  }
  await page.getByRole('heading', { name: 'By tool' }).scrollIntoViewIfNeeded()
  await shot(page, 'room-load-by-tool')
  await page.goto(`${scene.url}/audit`)
  await page.getByRole('button', { name: 'Verify the log' }).click()
  await page.getByText('nothing is wrong').waitFor()
  await shot(page, 'room-audit-verified')
  await page.goto(`${scene.url}/runs/${ids.doneRun}`)
  await page.locator('summary', { hasText: 'run_command' }).first().click()
  await shot(page, 'room-run-why')
  await page.getByRole('button', { name: /^You are/ }).click()
  await shot(page, 'person-menu')
  await page.context().close()
}

/** Agents of each kind in the background. */
async function fillFleet(): Promise<void> {
  await fleet.spawn('deployer', 'deploy')
  await fleet.spawn('talker', 'talk', ...STAYS)
  await fleet.spawn('builder', 'build')
  await fleet.spawn('notes', 'talk', '--interactive', '--idle-timeout', '1', '--on-idle', 'park')
  await fleet.spawn('reporter', 'report')
  await fleet.spawn('loser', 'talk', ...STAYS)
  await fleet.until('deployer', 'waiting')
  await fleet.until('loser', 'idle')
  await fleet.agents('kill', 'loser')
  for (const [name, status] of [
    ['talker', 'idle'],
    ['builder', 'running'],
    ['notes', 'parked'],
    ['reporter', 'done'],
    ['loser', 'killed'],
  ] as const)
    await fleet.until(name, status)
}

/** The room of the agents. */
async function shootFleet(look: string, context: BrowserContextOptions): Promise<void> {
  const shot = shooter(look)
  const page = await signedIn(browser, fleet.url, context)
  const open = async (name: string) => {
    await page.goto(`${fleet.url}/agents`)
    await page
      .getByRole('link', { name: new RegExp(`^${name}`) })
      .first()
      .click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await loaded(page)
  }
  await page.goto(`${fleet.url}/agents`)
  await page.getByText('deployer').first().waitFor()
  await shot(page, 'agents')
  await page.getByLabel('Filter the agents').fill('nothing has this')
  await page.getByText('Nothing fits').waitFor()
  await shot(page, 'agents-nothing-fits')
  await page.getByLabel('Filter the agents').fill('')
  await page.getByRole('button', { name: 'New agent' }).click()
  await shot(page, 'agents-new')
  for (const name of ['deployer', 'talker', 'builder', 'notes', 'reporter', 'loser']) {
    await open(name)
    if (name === 'deployer') await page.getByRole('button', { name: 'Approve' }).waitFor()
    if (name === 'builder') await page.getByText(/step \d+\s+step \d+/).waitFor()
    await shot(page, `agent-${name}`)
  }
  await open('deployer')
  await page.getByRole('button', { name: 'Reject…' }).click()
  await shot(page, 'agent-reject')
  await page.getByRole('button', { name: 'Kill…' }).click()
  await shot(page, 'agent-kill')
  await page.getByRole('button', { name: 'Let it go on' }).click()
  await page.getByRole('button', { name: 'Fork…' }).click()
  await shot(page, 'agent-fork')
  await page.goto(`${fleet.url}/agents/task_none`)
  await page.getByRole('alert').waitFor()
  await shot(page, 'no-such-agent')
  await page.context().close()
}

/** The policy of the page lets nothing wait in it. */
async function loaded(page: Page): Promise<void> {
  while ((await page.getByRole('status', { name: 'Loading' }).count()) > 0) await page.waitForTimeout(20)
}

/** Nothing, much, on the way, and what goes wrong. */
async function shootEdges(look: string, context: BrowserContextOptions): Promise<void> {
  const shot = shooter(look)
  const none = await signedIn(browser, empty.url, context)
  for (const [name, path] of [
    ...(['', 'agents', 'runs', 'grants', 'audit', 'search', 'load'] as const).map(
      room => [room || 'list', `/${room}`] as const,
    ),
    ['search-nothing', '/search?words=nothinghasthis'],
    ['no-such-thread', '/threads/th_none'],
    ['no-such-run', '/runs/run_none'],
    ['no-such-room', '/nowhere'],
  ] as const) {
    await none.goto(empty.url + path)
    await loaded(none)
    await none.waitForTimeout(300)
    await shot(none, `empty-${name}`)
  }
  await none.context().close()
  const much = await signedIn(browser, full.url, context)
  await much
    .getByRole('link', { name: /order-/ })
    .first()
    .waitFor()
  await shot(much, 'full-list')
  await much.getByRole('list', { name: 'Holds' }).evaluate(box => {
    ;(box as { scrollTop: number }).scrollTop = 1e9
  })
  await much.waitForTimeout(1_500)
  await shot(much, 'full-end')
  await much.route('**/v1/**', () => {})
  for (const [name, path] of [
    ['list', '/'],
    ['hold', `/holds/${scene.hold['r4']}`],
    ['agents', '/agents'],
    ['runs', '/runs'],
    ['load', '/load'],
  ] as const) {
    await much.goto(full.url + path)
    await much.waitForTimeout(400)
    await shot(much, `loading-${name}`)
  }
  await much.unroute('**/v1/**')
  await much.route('**/v1/{inbox,agents,runs,report}**', route =>
    route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      body: JSON.stringify({
        ...{ status: 503, code: 'store_busy', detail: 'The store is busy: another process has written for too long.' },
        hint: 'Try it again in a moment.',
      }),
    }),
  )
  for (const [name, path] of [
    ['list', '/'],
    ['agents', '/agents'],
    ['runs', '/runs'],
    ['load', '/load'],
  ] as const) {
    await much.goto(full.url + path)
    await much.getByRole('alert').waitFor()
    await shot(much, `error-${name}`)
  }
  await much.context().close()
}

async function shoot(look: string, context: BrowserContextOptions): Promise<void> {
  const shot = shooter(look)
  const out = await aPage(browser, context)
  await out.goto(scene.url)
  await out.getByLabel('Token').waitFor()
  await shot(out, 'sign-in')
  const page = await signedIn(browser, scene.url, context)
  await page.getByRole('link', { name: /npm test/ }).waitFor()
  await shot(page, 'list')
  const open = async (id: string) => {
    await page.goto(`${scene.url}/holds/${id}`)
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await loaded(page)
  }
  await open(scene.hold['r4'] ?? '')
  await shot(page, 'hold')
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('dialog').waitFor()
  await shot(page, 'confirm')
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'Reject…' }).click()
  await shot(page, 'reject')
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'More choices' }).click()
  await shot(page, 'more')
  await page.getByRole('button', { name: 'Always allow…' }).click()
  await shot(page, 'always')
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page
    .getByLabel('command', { exact: true })
    .fill('kubectl --context staging apply -f deploy/shop.yaml --dry-run=server')
  await shot(page, 'edit')
  await page.getByRole('button', { name: 'Discard the changes' }).click()
  for (const [call, id] of Object.entries(scene.hold)) {
    await open(id)
    await shot(page, `card-${call}`)
  }
  await page.goto(`${scene.url}/?words=nothing-has-this`)
  await page.getByText('Nothing fits').waitFor()
  await shot(page, 'nothing-fits')
  await page.goto(`${scene.url}/holds/hold_none`)
  await page.getByRole('alert').waitFor()
  await shot(page, 'no-such-hold')
  await page.goto(scene.url)
  await page.getByRole('link', { name: /npm test/ }).waitFor()
  await page.context().setOffline(true)
  await page.evaluate("dispatchEvent(new Event('offline'))")
  await page.getByText('The server cannot be reached.').waitFor()
  await shot(page, 'offline')
  await page.context().setOffline(false)
  await page.keyboard.press('?')
  await shot(page, 'keys')
  await page.context().close()
  await out.context().close()
}

/** A sub-agent asks too, and one conversation comes to its end. The ids of what is drawn. */
async function filled({ project, server, holds, hold, of }: CorpusScene) {
  await project.write('delegates.json', JSON.stringify(DELEGATES))
  await project.write('child.json', JSON.stringify(CHILD))
  const tools = ['subagent_task', 'run_command_task', 'run_command'].flatMap(name => ['-t', name])
  const asked = ['-a', '--pause-on-approval', '--model', 'script:delegates.json', ...tools, 'Build the docs at night']
  const paused = await project.holdpoint(...asked)
  if (paused.exit !== 10) throw new TypeError(paused.stderr.slice(0, 500))
  for (const { id } of await holds(Object.keys(hold).length + 2)) {
    const { json } = await server.send(`/v1/holds/${id}`)
    if (['subagent_task', 'run_command_task'].includes(json.tool))
      await server.send(`/v1/holds/${id}/decisions`, { body: { verdict: 'approve' } })
  }
  const decide = (call: string, body: object) => server.send(`/v1/holds/${hold[call]}/decisions`, { body })
  for (const call of ['u1', 'u2', 'u4', 'u5']) await decide(call, { verdict: 'reject', reason: FRIDAY })
  for (const call of ['u3', 'u6']) await decide(call, { verdict: 'approve' })
  await decide('r6', { verdict: 'approve', grant: { name: 'builds', scope: 'project' } })
  const { tasks } = (await server.send('/v1/tasks')).json
  return {
    ...{ run: of['coder']?.run_id, thread: of['coder']?.thread_id },
    ...{ doneRun: of['updater']?.run_id, doneThread: of['updater']?.thread_id },
    task: tasks.find(({ kind }: { kind: string }) => kind === 'agent')?.task_id,
  }
}
