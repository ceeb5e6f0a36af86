import { HttpAgent } from '@ag-ui/client'
import { type Door, once, type Raised } from '../../scenarios/doors/door.ts'
import type { Bearer } from '../../scenarios/doors/open-doors.ts'
import type { ServerProcess } from '../../scenarios/server/server-process.ts'
import { aClient, errorOf, OfficialClient, type Told } from '../ag-ui/official-client.ts'

export function agUiDoor(server: ServerProcess, { person, token }: Bearer): Door {
  const client = (threadId: string) => aClient('1.0.0', server, { threadId, token })
  /** What a page gets that opens the conversation. */
  const looked = async (threadId: string): Promise<{ told: Told; page: OfficialClient }> => {
    const url = `${server.url}/ag-ui/agent/default/connect`
    const page = new OfficialClient(new HttpAgent({ url, threadId, headers: { authorization: `Bearer ${token}` } }))
    return { told: await page.run(), page }
  }
  const isOpen = async ({ thread_id, hold_id }: Raised) => {
    const { page } = await looked(thread_id)
    return page.interrupts.some(({ id }) => id === hold_id)
  }
  return {
    name: 'AG-UI',
    person,
    raise: async () => {
      const page = client(crypto.randomUUID())
      await page.say('deploy')
      const { json: hold } = await server.send(`/v1/holds/${page.interrupts[0].id}`)
      return { run_id: hold.run_id, thread_id: hold.thread_id, hold_id: hold.id }
    },
    shows: async hold => {
      await once(async () => ((await isOpen(hold)) ? true : null))
    },
    told: async hold => {
      await once(async () => ((await isOpen(hold)) ? null : true))
      return null
    },
    decide: async ({ thread_id, hold_id }, verdict) => {
      const answer = { status: 'resolved', payload: { approved: verdict === 'approve' } }
      const told = await client(thread_id).resume({ [hold_id]: answer })
      const error = errorOf(told)
      if (!error) return { won: true, winner: person }
      return { won: false, winner: /^(\S+) already chose/.exec(error.message)?.[1] ?? error.code }
    },
    transcript: async () => null,
    texts: async threadId => {
      const { page } = await looked(threadId)
      return page.messages.flatMap(({ role, content }) => (role === 'tool' || !content ? [] : [content]))
    },
    [Symbol.asyncDispose]: async () => {},
  }
}
