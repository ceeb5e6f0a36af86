/**
 * A LangGraph graph whose interrupts people decide anywhere. Run it with `node examples/langgraph.ts` after `npm run build`
 * and `npm install @langchain/langgraph @langchain/core @langchain/langgraph-checkpoint`.
 */
import { Annotation, END, interrupt, START, StateGraph } from '@langchain/langgraph'
import { defineAgent, openHoldpoint } from 'holdpoint'
import { graphAgent } from 'holdpoint/langgraph'

interface Review {
  readonly decisions: readonly { readonly type: string; readonly message?: string }[]
}

const State = Annotation.Root({
  messages: Annotation<{ role: string; content: string }[]>({
    reducer: (all, more) => [...all, ...more],
    default: () => [],
  }),
  account: Annotation<string>(),
})

const graph = new StateGraph(State)
  .addNode('ask', () => ({
    account: interrupt({ question: 'From which account?', choices: ['giro', 'savings'] }) as string,
  }))
  .addNode('pay', ({ account }) => {
    const review = interrupt({
      actionRequests: [{ name: 'pay', args: { account, amount: 250 }, description: 'Pays invoice 17' }],
      reviewConfigs: [{ actionName: 'pay', allowedDecisions: ['approve', 'reject'] }],
    }) as Review
    const isApproved = review.decisions[0]?.type === 'approve'
    return { messages: [{ role: 'ai', content: isApproved ? `Paid 250 from ${account}.` : 'Not paid.' }] }
  })
  .addEdge(START, 'ask')
  .addEdge('ask', 'pay')
  .addEdge('pay', END)

const clerk = defineAgent({
  name: 'clerk',
  ...graphAgent({ compile: checkpointer => graph.compile({ checkpointer }) }),
})

await using holdpoint = await openHoldpoint({ store: 'memory:', agents: [clerk] })
const run = await holdpoint.start({ agent: 'clerk', input: 'Pay invoice 17' })

console.log((await holdpoint.advance(run.id)).status)
const [question] = await holdpoint.holds({ status: 'open' })
console.log(question?.kind, question?.message, question?.choices)
await holdpoint.decide(question?.id ?? '', { verdict: 'respond', value: 'giro', decided_by: 'ana', surface: 'code' })

console.log((await holdpoint.advance(run.id)).status)
const [review] = await holdpoint.holds({ status: 'open' })
console.log(review?.kind, JSON.stringify(review?.arguments))
for (const decided_by of ['ana', 'ben']) {
  const receipt = await holdpoint.decide(review?.id ?? '', { verdict: 'approve', decided_by, surface: 'code' })
  console.log(receipt.outcome)
}

const done = await holdpoint.advance(run.id)
console.log(done.status === 'done' ? done.answer : done.status)
