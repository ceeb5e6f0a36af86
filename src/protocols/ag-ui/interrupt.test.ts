import { expect, test } from 'vitest'
import { aHold } from '../../testing/contracts/sample-journal.ts'
import { interruptOf } from './interrupt.ts'

const ARGUMENTS = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] }

test.each([{ tool_version: '2' }, { tool_code: 'sha256:0' }, { tool_definition: { title: 'Pay' } }, {}])(
  'the form of an interrupt has the schema of the arguments and no word of ours: %j',
  ours => {
    const { responseSchema } = interruptOf(aHold({ tool_schema: { ...ARGUMENTS, ...ours } }), false)
    expect(responseSchema).toMatchObject({ properties: { approved: { type: 'boolean' } } })
    expect((responseSchema as { properties: { editedArgs: unknown } }).properties.editedArgs).toEqual(ARGUMENTS)
  },
)
