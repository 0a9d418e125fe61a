"""An agent that passes questions on."""


async def guide(text, ask):
    answer = await ask("du_eval.agents.example_agents:music_nerd", text)
    return f"My friend says: {answer.text}"
