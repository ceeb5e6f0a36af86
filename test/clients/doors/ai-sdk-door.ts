import { type Door, once, type Raised } from '../../scenarios/doors/door.ts'
import type { Bearer } from '../../scenarios/doors/open-doors.ts'
import type { ServerProcess } from '../../scenarios/server/server-process.ts'
import { aChat, type ChatClient, messagesOf, settled, textOf, VERSIONS } from '../ai-sdk/chat-client.ts'

/** Pages with `useChat`: each conversation is a page of its own, opened before it is decided. */
export function aiSdkDoor(server: ServerProcess, { person, token }: Bearer): Door {
  const [version] = VERSIONS
  if (!version) throw new TypeError('there is no version to test')
  const pages = new Map<string, ChatClient>()
  const holdIn = async ({ thread_id, hold_id }: Raised) => {
    const { messages } = await messagesOf(server, thread_id)
    const page = aChat(version, server, { id: thread_id, token, messages })
    const data = page.holds().find(each => each.data.hold_id === hold_id)?.data
    return { page, data }
  }
  return {
    name: 'AI SDK',
    person,
    raise: async () => {
      const page = aChat(version, server, { id: crypto.randomUUID(), token })
      await page.chat.sendMessage({ text: 'deploy' })
      await settled(page)
      const [{ data }] = page.holds() as [{ data: { hold_id: string } }]
      const { json: hold } = await server.send(`/v1/holds/${data.hold_id}`)
      return { run_id: hold.run_id, thread_id: hold.thread_id, hold_id: hold.id }
    },
    shows: async hold => {
      pages.set(
        hold.hold_id,
        await once(async () => {
          const { page, data } = await holdIn(hold)
          return data?.status === 'open' ? page : null
        }),
      )
    },
    told: hold =>
      once(async () => {
        const { data } = await holdIn(hold)
        return data?.decision?.decided_by
      }),
    decide: async (hold, verdict) => {
      const page = pages.get(hold.hold_id) as ChatClient
      await page.chat.addToolApprovalResponse({ id: hold.hold_id, approved: verdict === 'approve' })
      await settled(page)
      const decided = page.holds().find(each => each.data.hold_id === hold.hold_id)?.data.decision
      return { won: decided.decided_by === person, winner: decided.decided_by }
    },
    transcript: async () => null,
    texts: async threadId =>
      (await messagesOf(server, threadId)).messages.flatMap((each: unknown) => textOf(each).split('|')),
    [Symbol.asyncDispose]: async () => {},
  }
}
