/** `npm run shots`: pictures of each main view in `shots/`, for people to look at. They are kept out of git. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { command, effect } from '../scenarios/project.ts'
import { fillWithHolds } from './filled-store.ts'
import { aFleetScene, STAYS } from './fleet-scene.ts'
import { aBrowser, aPage, aScene, DESKTOP, PHONE, type Scene, signedIn } from './scene.ts'

const OUT = 'shots'

const LONG_NAME = `release-${'very-long-part-of-a-name-'.repeat(6)}end`

const SCRIPTS = {
  deploy: [
    {
      text: 'The tests are green, so I would deploy the shop to staging now, then remove the old build and write down what changed.',
      calls: [
        command('tc_1', 'kubectl --context staging apply -f deploy/shop.yaml'),
        command('tc_2', 'rm -rf build/old'),
        {
          id: 'tc_3',
          name: 'write_file',
          args: { path: 'CHANGES.md', content: '# Changes\n\n- Refunds above 100 ask first\n- Faster search\n' },
        },
      ],
    },
    'Deployed.',
  ],
  question: [
    {
      calls: [
        {
          id: 'tc_1',
          name: 'ask_human',
          args: { question: 'Which region shall I deploy to?', choices: ['eu-west-1', 'eu-central-1', 'us-east-1'] },
        },
      ],
    },
    'Done.',
  ],
  open: [
    {
      calls: [
        {
          id: 'tc_1',
          name: 'ask_human',
          args: { question: 'The customer wants an exception from the refund rules. What shall I tell them?' },
        },
      ],
    },
    'Done.',
  ],
  odd: [
    {
      text: 'שלום, أهلاً — this has odd letters.',
      calls: [
        command(
          'tc_1',
          `echo "pay \u202e001\u202c to \u200bana" && printf '\u001b[31mred'\n# <b>bold</b> <script>alert(1)</script>\n# ${'long '.repeat(60)}`,
        ),
        command('tc_2', `deploy ${LONG_NAME}`),
      ],
    },
    'Done.',
  ],
  rtl: [
    {
      text: 'أريد إرسال رسالة إلى العميل בקשה',
      calls: [
        {
          id: 'tc_1',
          name: 'ask_human',
          args: {
            question: 'هل أرسل الرسالة إلى العميل الآن، أم أنتظر حتى يوم الاثنين؟',
            choices: ['أرسل الآن', 'انتظر'],
          },
        },
      ],
    },
    'תודה, נשלח.',
  ],
  child: [
    { text: 'I am about to build the docs.', calls: [command('tc_1', 'npm run docs -- --strict')] },
    'The docs are built.',
  ],
  delegate: [
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
  ],
  long: [
    {
      calls: [
        {
          id: 'tc_1',
          name: 'write_file',
          args: {
            path: 'data.csv',
            content: Array.from(
              { length: 10_000 },
              (_, n) => `${n},order-${n},${(n * 7) % 991},${'x'.repeat(190)}`,
            ).join('\n'),
          },
        },
      ],
    },
    'Done.',
  ],
}

const LOOKS = [
  { name: 'desktop-light', context: { ...DESKTOP, colorScheme: 'light' } },
  { name: 'desktop-dark', context: { ...DESKTOP, colorScheme: 'dark' } },
  { name: 'phone-light', context: { ...PHONE, colorScheme: 'light' } },
  { name: 'phone-dark', context: { ...PHONE, colorScheme: 'dark' } },
] as const satisfies readonly { readonly name: string; readonly context: BrowserContextOptions }[]

await mkdir(OUT, { recursive: true })
await using scene = await aScene({
  script: SCRIPTS.deploy,
  policy: { default: 'prompt', tools: { subagent_task: 'auto', run_command_task: 'auto' } },
  config: { due: { seconds: 5400, on_due: 'reject' } },
  files: Object.fromEntries(Object.entries(SCRIPTS).map(([name, script]) => [`${name}.json`, JSON.stringify(script)])),
})
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
    ['runs', '/runs', 'Deploy the shop'],
    ['run', `/runs/${ids.run}`, 'Approval of run_command'],
    ['run-done', `/runs/${ids.doneRun}`, 'run_command'],
    ['thread', `/threads/${ids.thread}`, 'May run_command run?'],
    ['thread-done', `/threads/${ids.doneThread}`, 'Done.'],
    ['task', `/tasks/${ids.task}`, 'Build the docs'],
    ['grants', '/grants', 'Given by'],
    ['audit', '/audit', /signed in|saw it/],
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
  await page.getByText('run_command', { exact: true }).first().click()
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
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
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
    await none.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
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
    ['hold', `/holds/${ids.deploy}`],
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
  await page.getByRole('link', { name: /kubectl/ }).waitFor()
  await shot(page, 'list')
  const open = async (id: string) => {
    await page.goto(`${scene.url}/holds/${id}`)
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
  }
  await open(ids.deploy)
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
  for (const name of [
    'write',
    'question',
    'open',
    'odd',
    'long',
    'rtl',
    'child',
    'decided',
    'rejected',
    'name',
  ] as const) {
    await open(ids[name])
    await shot(page, name)
  }
  await page.goto(`${scene.url}/?words=nothing-has-this`)
  await page.getByText('Nothing fits').waitFor()
  await shot(page, 'nothing-fits')
  await page.goto(`${scene.url}/holds/hold_none`)
  await page.getByRole('alert').waitFor()
  await shot(page, 'no-such-hold')
  await page.goto(scene.url)
  await page.getByRole('link', { name: /kubectl/ }).waitFor()
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

/** Holds of each kind, and their ids. */
async function filled({ project, server, start, holds }: Scene) {
  const run = (name: string, ...args: string[]) =>
    project.holdpoint('-a', '--model', `script:${name}.json`, '--pause-on-approval', ...args, `Do the ${name} work`)
  const first = await start('Deploy the shop')
  await holds(3)
  for (const name of ['question', 'open', 'odd', 'long', 'rtl']) {
    const { exit, stderr } = await run(name)
    if (exit !== 10) throw new TypeError(`${name}: ${exit}: ${stderr.slice(0, 500)}`)
  }
  const second = [effect('tc_1', 'one'), effect('tc_2', 'two'), command('tc_3', 'echo three')]
  await project.write('more.json', JSON.stringify([{ text: 'Three of them.', calls: second }, 'Done.']))
  await run('more')
  const delegated = await run('delegate', '-t', 'subagent_task', '-t', 'run_command_task', '-t', 'run_command')
  if (delegated.exit !== 10) throw new TypeError(delegated.stderr.slice(0, 500))
  const all = await holds(14)
  const find = (words: string) => all.find(hold => JSON.stringify(hold).includes(words))
  const idOf = (words: string) => find(words)?.id ?? ''
  const decide = (id: string, body: object) => server.send(`/v1/holds/${id}/decisions`, { body })
  const [decided, rejected] = [idOf('echo one'), idOf('echo two')]
  await decide(decided, { verdict: 'approve' })
  await decide(rejected, {
    verdict: 'reject',
    reason: 'Not on a Friday: the people who know the shop are away until Monday.',
  })
  await decide(idOf('echo three'), { verdict: 'approve', grant: { name: 'echoes', scope: 'project' } })
  const { tasks } = (await server.send('/v1/tasks')).json
  const done = find('echo one')
  return {
    ...{ run: first.run_id, thread: first.thread_id, doneRun: done?.run_id, doneThread: done?.thread_id },
    ...{ task: tasks.find(({ kind }: { kind: string }) => kind === 'agent')?.task_id },
    ...{ deploy: idOf('kubectl'), write: idOf('CHANGES.md'), question: idOf('Which region') },
    ...{ open: idOf('exception from'), rtl: idOf('الاثنين'), child: idOf('npm run docs') },
    ...{ odd: idOf('bold'), name: idOf(LONG_NAME), long: idOf('order-9999'), decided, rejected },
  }
}
