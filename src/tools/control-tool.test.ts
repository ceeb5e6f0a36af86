import { expect, test } from 'vitest'
import { agentControls } from '../runtime/agent-tasks/controls.ts'
import { controlTool } from './control-tool.ts'

test('P3: after a crash nobody is asked about a control that can be used again without harm, and about every other one', () => {
  const tools = agentControls(() => Promise.reject(new TypeError('not used'))).map(controlTool)
  const asked = tools.filter(({ idempotent }) => !idempotent).map(({ name }) => name)
  expect(asked).toEqual(['run_command_task', 'subagent_task', 'resume_task'])
})
