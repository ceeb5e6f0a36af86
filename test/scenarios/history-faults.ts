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
  const faults: string[] = []
  const seen = new Set<string>()
  let owed: string[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const next = owed.shift()
      if (next !== message.tool_call_id) faults.push(`message ${index} answers ${message.tool_call_id}, not ${next}`)
      continue
    }
    if (owed.length > 0) faults.push(`message ${index} comes before the results of ${owed.join(', ')}`)
    owed = (message.tool_calls ?? []).map(({ id }) => id)
    for (const id of owed) {
      if (seen.has(id)) faults.push(`the id ${id} is used twice`)
      seen.add(id)
    }
  }
  if (owed.length > 0) faults.push(`the conversation ends without the results of ${owed.join(', ')}`)
  return faults
}
