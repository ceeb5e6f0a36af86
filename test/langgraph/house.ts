import { appendFileSync } from 'node:fs'
import { Annotation, END, interrupt, START, StateGraph } from '@langchain/langgraph'
import { type AgentDefinition, defineAgent } from 'holdpoint'
import { type CompileGraph, type GraphAgentOptions, graphAgent } from 'holdpoint/langgraph'

/** Called in the node that pays, behind its effect. */
export interface HouseOptions extends Partial<GraphAgentOptions> {
  readonly effects: string
  afterPay?(): void
}

const State = Annotation.Root({
  messages: Annotation<{ role: string; content: string }[]>({
    reducer: (all, more) => [...all, ...more],
    default: () => [],
  }),
  account: Annotation<string>(),
  amount: Annotation<number>(),
})

/** Two questions side by side, then a payment that a person approves, then an effect. */
export function payingGraph({ effects, afterPay }: HouseOptions): CompileGraph {
  const note = (text: string) => appendFileSync(effects, `${text}\n`)
  const graph = new StateGraph(State)
    .addNode('ask_account', () => ({ account: interrupt('Which account?') as string }))
    .addNode('ask_amount', () => ({
      amount: interrupt({ question: 'How much?', choices: ['10', '20'], of: 'the invoice' }) as number,
    }))
    .addNode('pay', ({ account, amount }) => {
      const said = interrupt({
        actionRequests: [{ name: 'pay', args: { account, amount }, description: 'Pays the invoice' }],
        reviewConfigs: [{ actionName: 'pay', allowedDecisions: ['approve', 'edit', 'reject'] }],
      }) as { decisions: { type: string; message?: string; editedAction?: { args: { amount: number } } }[] }
      const [decision] = said.decisions
      if (decision?.type === 'reject') return { messages: [{ role: 'ai', content: `Not paid: ${decision.message}` }] }
      const paid = decision?.editedAction?.args.amount ?? amount
      note(`paid ${paid} from ${account}`)
      afterPay?.()
      return { messages: [{ role: 'ai', content: `Paid ${paid}.` }] }
    })
    .addEdge(START, 'ask_account')
    .addEdge(START, 'ask_amount')
    .addEdge(['ask_account', 'ask_amount'], 'pay')
    .addEdge('pay', END)
  return checkpointer => graph.compile({ checkpointer })
}

export function payingAgent(options: HouseOptions): AgentDefinition {
  const { effects: _, afterPay: __, ...rest } = options
  return defineAgent({ name: 'clerk', ...graphAgent({ compile: payingGraph(options), version: '1', ...rest }) })
}
