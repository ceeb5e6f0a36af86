/** Instructions for the model that uses a client: how to have an agent do something. */
const RUN_AGENTS = `

To have an agent do something and get its result, use run_agent. If its status is paused, a person must decide: show them pause_reason, and give their answer with resume_run. If it is running, wait with get_run.`

/** Instructions for the model that uses a client: how to supervise. */
export function instructions({ runsAgents }: { readonly runsAgents: boolean }): string {
  return runsAgents ? SUPERVISE + RUN_AGENTS : SUPERVISE
}

const SUPERVISE = `Holdpoint runs commands and agents as tasks that outlive this connection, and holds what needs a person until somebody decides.

To supervise an agent:
1. subagent_task starts one, run_command_task a plain command. Both return a task_id at once; it stays the same over every pause and resume.
2. wait_for_tasks waits until a task completes, fails or pauses. To stop waiting stops nothing.
3. A paused task needs a decision. get_task_details lists every pending call with its full arguments, and every question. Read the arguments before you decide.
4. resume_task decides and goes on: either tool_decisions (one for each pending call) or a prompt (the answer to a question, or what comes next), never both. Then wait again.
5. cancel_task ends a task for good.

Holds are the same pauses seen one by one: list_holds, decide_hold, and ask_user, which puts one to the person at this client. Use ask_user, or leave the hold open for somebody else, whenever you are not the one to decide: what is destructive, what nobody asked you for, what you cannot judge. Whoever may not decide is refused. A hold is decided once; who comes second is told who was first.

Every error says what happened and what to do about it.`
