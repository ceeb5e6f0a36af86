/** `npm run shots`: pictures of each main view in `shots/`, for people to look at. They are kept out of git. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { command, effect } from '../scenarios/project.ts'
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
  policy: { default: 'prompt' },
  config: { due: { seconds: 5400, on_due: 'reject' } },
  files: Object.fromEntries(Object.entries(SCRIPTS).map(([name, script]) => [`${name}.json`, JSON.stringify(script)])),
})
const browser = await aBrowser()
const ids = await filled(scene)
for (const { name, context } of LOOKS) await shoot(name, context)
await browser.close()

async function shoot(look: string, context: BrowserContextOptions): Promise<void> {
  const shot = (page: Page, name: string) => page.screenshot({ path: join(OUT, `${name}.${look}.png`) })
  const out = await aPage(browser as Browser, context)
  await out.goto(scene.url)
  await out.getByLabel('Token').waitFor()
  await shot(out, 'sign-in')
  const page = await signedIn(browser as Browser, scene.url, context)
  await page.getByRole('link', { name: /kubectl/ }).waitFor()
  await shot(page, 'list')
  const open = async (id: string) => {
    await page.goto(`${scene.url}/holds/${id}`)
    await page.getByRole('heading', { name: 'History' }).waitFor()
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
  for (const name of ['write', 'question', 'open', 'odd', 'long', 'decided', 'rejected', 'name'] as const) {
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
  await shot(page, 'offline')
  await page.context().setOffline(false)
  await page.keyboard.press('?')
  await shot(page, 'keys')
  await page.context().close()
  await out.context().close()
}

/** Holds of each kind, and their ids. */
async function filled({ project, server, start, holds }: Scene) {
  const run = (name: string) => project.holdpoint('-a', '--model', `script:${name}.json`, '--pause-on-approval', 'go')
  await start('Deploy the shop')
  await holds(3)
  for (const name of ['question', 'open', 'odd', 'long']) {
    const { exit, stderr } = await run(name)
    if (exit !== 10) throw new TypeError(`${name}: ${exit}: ${stderr.slice(0, 500)}`)
  }
  await project.write('more.json', JSON.stringify([{ calls: [effect('tc_1', 'one'), effect('tc_2', 'two')] }, 'Done.']))
  await run('more')
  const all = await holds(10)
  const idOf = (words: string) => all.find(hold => JSON.stringify(hold).includes(words))?.id ?? ''
  const decide = (id: string, body: object) => server.send(`/v1/holds/${id}/decisions`, { body })
  const [decided, rejected] = [idOf('echo one'), idOf('echo two')]
  await decide(decided, { verdict: 'approve' })
  await decide(rejected, {
    verdict: 'reject',
    reason: 'Not on a Friday: the people who know the shop are away until Monday.',
  })
  return {
    ...{
      deploy: idOf('kubectl'),
      write: idOf('CHANGES.md'),
      question: idOf('Which region'),
      open: idOf('exception from'),
    },
    ...{ odd: idOf('bold'), name: idOf(LONG_NAME), long: idOf('order-9999'), decided, rejected },
  }
}
