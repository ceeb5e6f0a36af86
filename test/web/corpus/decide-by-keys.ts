import type { Page } from 'playwright-core'

/** A decision on the page, from the moment at which its card was there. */
export interface Step {
  readonly title: string
  readonly risk: string
  readonly keys: number
  readonly ms: number
}

/** In milliseconds: a card that has just come takes no decision. */
const READS = 550

/** As a person who opens the first hold, and decides one after another with the keyboard alone. */
export async function decideByKeys(page: Page, count: number): Promise<readonly Step[]> {
  await page.evaluate("localStorage.setItem('holdpoint.goes-on', 'on')")
  await page.reload()
  await page.getByRole('list', { name: 'Holds' }).getByRole('link').first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const steps: Step[] = []
  let before = ''
  while (steps.length < count) {
    const title = await nextCard(page, before)
    const start = performance.now()
    steps.push({ ...(await decide(page)), title, ms: performance.now() - start })
    before = title
  }
  return steps
}

/** The title of the card that follows one with this title. */
async function nextCard(page: Page, before: string): Promise<string> {
  for (;;) {
    const title = await page
      .getByRole('article')
      .getByRole('heading', { level: 1 })
      .textContent()
      .catch(() => null)
    if (title && title !== before && (await page.getByRole('heading', { name: 'History' }).count()) > 0) return title
    await page.waitForTimeout(20)
  }
}

type Press = (...names: readonly string[]) => Promise<void>

async function decide(page: Page): Promise<Pick<Step, 'keys' | 'risk'>> {
  let keys = 0
  const press: Press = async (...names) => {
    for (const name of names) {
      await page.keyboard.press(name)
      keys += 1
    }
  }
  await page.waitForTimeout(READS)
  await begin(page, press)
  return { risk: await confirm(page, press), keys }
}

/** A key first scrolls to the end of a card that is longer than the window. */
async function begin(page: Page, press: Press): Promise<void> {
  const [first, ...rest] = await keysFor(page)
  await press(first)
  if (await page.getByText('Press it again at the end').isVisible()) await press(first)
  await press(...rest)
}

/** Approves what can be approved, takes the first choice, and declines what wants words. */
async function keysFor(page: Page): Promise<readonly [string, ...string[]]> {
  for (const name of ['Approve', 'Run it again…'])
    if ((await page.getByRole('button', { name, exact: true }).count()) > 0) return ['a']
  return (await page.getByText('Choose the answer').count()) > 0 ? ['g', 'Enter'] : ['r', 'Control+Enter']
}

/** The dialog of a risk above the ordinary: a second step, and for an override the name of the thing. */
async function confirm(page: Page, press: Press): Promise<string> {
  const dialog = page.getByRole('dialog')
  if (!(await dialog.isVisible())) return 'ordinary'
  if ((await dialog.getByRole('textbox').count()) === 0) {
    await press('Tab', 'Enter')
    return 'high'
  }
  const thing = (await dialog.locator('label strong').textContent()) ?? ''
  await page.keyboard.type(thing)
  await press('Tab', 'Tab', 'Enter')
  return 'override'
}
