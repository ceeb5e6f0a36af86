import { expect, test } from 'vitest'
import { aProfile } from '../../testing/contracts/sample-journal.ts'
import { childProfile } from './child-profile.ts'

const wish = {
  ...{ instructions: null, tools: null, model: null, max_steps: null },
  ...{ workdir: '/work/sub', parent_workdir: '/work', pause_on: [] },
}
const tools = { all: ['run_command'], steering: [] }

test('a child is asked as its parent is, but for the choice of a tool, which would not let it end', () => {
  const model_settings = { temperature: 0.2, max_output_tokens: 9, tool_choice: 'required' } as const
  expect(childProfile(aProfile({ model_settings }), tools, wish).model_settings).toEqual({
    temperature: 0.2,
    max_output_tokens: 9,
  })
  const only = aProfile({ model_settings: { tool_choice: 'required' } })
  expect(childProfile(only, tools, wish)).not.toHaveProperty('model_settings')
})
