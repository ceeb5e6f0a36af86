import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** What axe finds, one line each. It runs in a world of its own, so that the policy of the page stays on. */
export async function axeFaults(page: Page): Promise<string[]> {
  await using session = await isolatedWorld(page)
  await session.run(await readFile(AXE, 'utf8'))
  const text = await session.run(
    `axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then(({ violations }) => JSON.stringify(violations.flatMap(
      ({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ': ' + target + ': ' + failureSummary))))`,
  )
  return JSON.parse(String(text)) as string[]
}

async function isolatedWorld(page: Page) {
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const world = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'axe' })
  return {
    run: async (expression: string): Promise<unknown> => {
      const contextId = world.executionContextId
      const said = await session.send('Runtime.evaluate', {
        expression,
        contextId,
        awaitPromise: true,
        returnByValue: true,
      })
      if (said.exceptionDetails) throw new TypeError(said.exceptionDetails.exception?.description ?? 'axe failed')
      return said.result.value
    },
    [Symbol.asyncDispose]: () => session.detach(),
  }
}
