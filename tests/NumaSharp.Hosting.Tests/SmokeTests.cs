namespace NumaSharp.Hosting.Tests;

public sealed class SmokeTests
{
    [Fact]
    public void Assembly_Loads() => Assert.NotNull(typeof(SmokeTests).Assembly);
}
