using NumaSharp.ModelMembers;

namespace NumaSharp.Models.Tests;

/// <summary>
/// tests/Models/*.members: the code that the models stand for is the code that they were compared with. A failure says
/// which model to look at, and how to record that it was.
/// </summary>
public sealed class MemberTests
{
    [Fact]
    public void Models_SpeakOfTheCodeOfToday()
    {
        var findings = new ModelFolder(Repository.Root).Findings().ToArray();
        Assert.True(findings.Length == 0, string.Join(Environment.NewLine, findings));
    }
}
