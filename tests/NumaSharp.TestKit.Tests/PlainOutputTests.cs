using System.Diagnostics;

namespace NumaSharp.TestKit.Tests;

/// <summary>.ci/plain, behind which CI's scripts find the lines that they count.</summary>
public sealed class PlainOutputTests
{
    [Theory]
    [InlineData("  succeeded: 12\n", "  succeeded: 12\n")]
    [InlineData("\x1b[32m  succeeded: 12\x1b[m\n", "  succeeded: 12\n")]
    [InlineData("\x1b[?25l\x1b[1;31mfailed\x1b[0m A.B [x] (1ms)\r\n", "failed A.B [x] (1ms)\n")]
    [InlineData("", "")]
    public async Task Plain_Output_HasNoCodesOfATerminal(string written, string expected)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "This is a script of bash.");
        ExternalProgram.SkipUnlessThere("bash");
        ExternalProgram.SkipUnlessThere("sed");
        var result = await ExternalProgram.TryAsync(
            new ProcessStartInfo("bash", [Repository.PathOf(".ci", "plain")]), input: written);
        Assert.Equal((0, expected), (result.ExitCode, result.Output));
    }
}
