import { defineAgent, openHoldpoint } from '../../../src/index.ts'
import type { Project } from '../project.ts'
import { type Door, once, textsIn } from './door.ts'

/** A program, which advances the runs of its own agents. */
export async function libraryDoor(
  project: Project,
  options: { readonly deciders?: readonly string[] } = {},
): Promise<Door> {
  const person = 'lila'
  const { directory } = project
  const agents = [
    defineAgent({
      name: 'in-a-program',
      model: `script:${project.path('script.json')}`,
      tools: ['run_command'],
      policy: { default: 'prompt' },
    }),
  ]
  const store = `sqlite:${project.path('.holdpoint', 'holdpoint.db')}`
  const holdpoint = await openHoldpoint({ store, agents, directory, ...options })
  const closing = new AbortController()
  const own = new Set<string>()
  const advance = async (runId: string) => {
    const view = await holdpoint.advance(runId, { signal: closing.signal })
    return view.status
  }
  const goOn = holdpoint.watch(() => {
    for (const runId of own) void advance(runId).then(status => status === 'done' && own.delete(runId))
  })
  return {
    name: 'library',
    person,
    raise: async () => {
      const { id: run_id, thread_id } = await holdpoint.start({
        agent: 'in-a-program',
        input: 'deploy',
        author: person,
      })
      await advance(run_id)
      const [hold] = await holdpoint.holds({ run_id, status: 'open' })
      own.add(run_id)
      return { run_id, thread_id, hold_id: hold?.id ?? '' }
    },
    shows: async ({ hold_id }) => {
      await once(async () => ((await holdpoint.hold(hold_id))?.status === 'open' ? true : null))
    },
    told: async ({ thread_id }) => {
      for await (const event of holdpoint.follow(thread_id))
        if (event.kind === 'hold.decided') return event.data.decision.decided_by
      return 'nobody'
    },
    decide: async ({ hold_id }, verdict) => {
      const receipt = await holdpoint.decide(hold_id, { verdict, decided_by: person, surface: 'code' })
      if (receipt.outcome === 'refused') throw receipt.error
      if (receipt.outcome === 'already_decided') return { won: false, winner: receipt.winner.decided_by }
      return { won: true, winner: receipt.decision.decided_by }
    },
    transcript: async threadId => (await holdpoint.thread(threadId)).messages,
    texts: async threadId => textsIn((await holdpoint.thread(threadId)).messages),
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      goOn[Symbol.dispose]()
      await holdpoint[Symbol.asyncDispose]()
    },
  }
}
