/** Shoots docs/page.png, the page in the README, in a real browser before a real server: `npm run picture`. */
import { join } from 'node:path'
import { aProject, Project } from '../test/scenarios/project.ts'
import { aServer } from '../test/scenarios/server/server-process.ts'
import { aBrowser, HAS_CHROMIUM, signedIn } from '../test/web/scene.ts'

const FILE = join(import.meta.dirname, '../docs/page.png')

/** What two agents in Markdown say, beside the one that `holdpoint new` made. */
const SCRIPTS = {
  deployer: [
    {
      text: 'The tests are green. I would deploy the shop to staging now.',
      calls: [{ name: 'run_command', args: { command: 'kubectl --context staging apply -f deploy/shop.yaml' } }],
    },
    'Deployed.',
  ],
  clerk: [
    {
      text: 'The invoice names no cost centre.',
      calls: [
        {
          name: 'ask_human',
          args: { question: 'Which cost centre pays invoice 17?', choices: ['Berlin', 'Lyon', 'Porto'] },
        },
      ],
    },
    'Booked.',
  ],
}

const TASKS = [
  ['clerk', 'Book invoice 17'],
  ['deployer', 'Deploy release 1.4.3 to staging'],
  ['./agent.ts', 'Our supplier wants 0.50 more for tea'],
] as const

if (!HAS_CHROMIUM) throw new Error('There is no Chromium to shoot the page with.')
await using home = await aProject()
await home.run(['new', 'shop'], { own: true })
const shop = new Project(join(home.directory, 'shop'), { HOME: home.directory, HOLDPOINT_HOST: 'laptop' })
for (const [name, script] of Object.entries(SCRIPTS)) {
  await shop.write(`.holdpoint/agents/${name}.md`, `---\nmodel: script:${name}.json\n---\nWork.\n`)
  await shop.write(`.holdpoint/agents/${name}.json`, JSON.stringify(script))
}
for (const [agent, task] of TASKS) {
  const { exit, stderr } = await shop.run(['-a', '--agent', agent, task], { own: true })
  if (exit !== 10) throw new Error(`${agent} ended with ${exit}: ${stderr}`)
}
await using server = await aServer(shop)
const browser = await aBrowser()
try {
  const page = await signedIn(browser, server.url, { viewport: { width: 1120, height: 700 }, colorScheme: 'light' })
  await page.getByRole('link', { name: /price/ }).first().click()
  await page.getByRole('heading', { name: 'History' }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
  await page.screenshot({ path: FILE })
} finally {
  await browser.close()
}
