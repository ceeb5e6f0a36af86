import type { ControlReceipt, HoldPage } from '../../src/runtime/agent-tasks/controls/hold-controls.ts'
import type { SentMessage } from '../../src/runtime/agent-tasks/controls/send-message.ts'
import type {
  SupervisedDetails,
  SupervisedPage,
  SupervisedWait,
} from '../../src/runtime/agent-tasks/controls/supervised-tasks.ts'
import type { StartedReport } from '../../src/runtime/doubt/attend-started.ts'
import type { TaskSummary } from '../../src/runtime/face/tasks.ts'

/** What each control answers with, by its name. */
export interface ControlAnswers {
  run_command_task: TaskSummary
  subagent_task: TaskSummary
  get_task_details: SupervisedDetails
  get_all_tasks: SupervisedPage
  wait_for_tasks: SupervisedWait
  cancel_task: TaskSummary
  resume_task: TaskSummary
  send_message: SentMessage
  list_holds: HoldPage
  decide_hold: ControlReceipt
  wait_for_started: StartedReport
  stop_started: StartedReport
}
