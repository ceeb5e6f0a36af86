interface ToldMessage {
  readonly role: string
  readonly tool_calls?: readonly { readonly id: string }[]
  readonly tool_call_id?: string
}

/**
 * P5: what is wrong with a conversation, in words; empty where it is valid. Each call has one result, directly behind
 * the message that asked for it, in call order; no id is used twice.
 */
export function historyFaults(messages: readonly ToldMessage[]): string[] {
  const asked = messages.flatMap(callIds)
  const repeated = asked.filter((id, index) => asked.indexOf(id) !== index).map(id => `the id ${id} is used twice`)
  const misplaced = messages.flatMap((message, index) => {
    if (message.role === 'tool') return index === 0 ? ['the first message is a result'] : []
    const [expected, found] = [callIds(message).join(), resultsAt(messages, index + 1).join()]
    return expected === found ? [] : [`behind message ${index} are the results of [${found}], not of [${expected}]`]
  })
  return [...repeated, ...misplaced]
}

function callIds({ tool_calls = [] }: ToldMessage): string[] {
  return tool_calls.map(({ id }) => id)
}

/** The calls that the results standing together from `start` on are about. */
function resultsAt(messages: readonly ToldMessage[], start: number): (string | undefined)[] {
  const end = messages.findIndex(({ role }, index) => index >= start && role !== 'tool')
  return messages.slice(start, end < 0 ? messages.length : end).map(({ tool_call_id }) => tool_call_id)
}
