import { afterAll, expect, test } from 'vitest'
import { patienceMs } from '../../patience.ts'
import { aProject } from '../../scenarios/project.ts'
import { aServer } from '../../scenarios/server/server-process.ts'
import { openTestDatabase } from '../database.ts'

const database = await openTestDatabase({ own: true })
afterAll(() => database[Symbol.asyncDispose]())

/** 2 s on a machine that does nothing else. */
const SOON_MS = patienceMs() / 10

if ('missing' in database) test.skip(`probes without PostgreSQL (${database.missing})`, () => {})
else if (database.stop === null || database.start === null)
  test.skip('probes (the database is not ours to stop)', () => {})
else probing(database.url, { stop: database.stop, start: database.start })

interface Power {
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
}

function probing(url: string, { stop, start }: Power): void {
  test('a server without its database says within 2 s that it is not ready and why, and is ready when it is back', async () => {
    await using project = await aProject({ env: { HOLDPOINT_STORE: `${url}?schema=probed` } })
    await using server = await aServer(project)
    const probe = async (token?: string) => {
      const begun = performance.now()
      const answer = await server.send('/readyz', token === undefined ? {} : { token })
      return { status: answer.status, code: answer.json.code, isQuick: performance.now() - begun < SOON_MS }
    }
    expect(await probe()).toMatchObject({ status: 200 })
    await stop()
    try {
      const many = await Promise.all([probe(''), ...Array.from({ length: 20 }, () => probe())])
      for (const each of many) expect(each).toEqual({ status: 503, code: 'store_unavailable', isQuick: true })
      expect(await probe('')).toEqual({ status: 503, code: 'store_unavailable', isQuick: true })
      expect((await server.send('/healthz', { token: '' })).status).toBe(200)
    } finally {
      await start()
    }
    await expect.poll(async () => (await probe('')).status).toBe(200)
  })
}
