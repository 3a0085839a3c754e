/** What people write in the middle of a conversation: no skill fits, and a prompt hook must not speak. */

const SHORT = `yes|no|ok|yes, go on|go on|continue|please continue|thanks|thank you|do it|try again|again|why?|that works|looks good|looks good to me, commit it|now run the tests|run the tests again|undo that|revert the last change|what did you change?|explain that|explain this line|make it shorter|shorter please|use the second option|option 2|the first one|no, the other file|stop|wait|never mind|fix it|fix the error|it still fails|still the same error|same problem as before|can you check again?|push it|commit and push|what is next?|what do you think?|are you sure?|good, now the next one|rename it to something better|remove the comment|add a comment there|leave it as it is|yes please do that|I do not understand|hello|hi there|good morning`;

const LONG = `no, I meant the other file, the one in the src folder
that is not what I asked for, please read my first message again
yes, please go on and do the same for the other three files
I changed it myself in the meantime, so look at the file again before you go on
the second version was better, so please go back to that one and keep the names
it still prints the same error as before, look at the last lines of the output
why did you remove that function? I think that we still need it somewhere
good, but keep the old names, other people already depend on them
please stop asking me after every single step and just finish the whole thing
sorry, I was away for an hour, where were we and what is left to do?
can you show me only what changed since the last time that I looked?
I do not like the third paragraph, write it again but keep what it says
that looks right to me now, let us move on to the next point of the list
what would you do in my place, the first way or the second one?
do not touch anything else for now, I want to look at this first
ok, leave that for tomorrow and tell me in two sentences what you did today
did you really run it, or do you only think that it works?
you forgot the last two points of my list, please do these as well
make the names a bit shorter and use the same style as everywhere else
I think you misunderstood me, the old one should stay and the new one should go`;

export const REPLIES: readonly string[] = [...SHORT.split('|'), ...LONG.split('\n')];
