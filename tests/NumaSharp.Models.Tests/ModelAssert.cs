namespace NumaSharp.Models.Tests;

internal static class ModelAssert
{
    /// <summary>In every state that can be reached the claims hold, and the search has seen all of them.</summary>
    public static void Holds(string model, string variant)
    {
        var result = Spin.Check(model, variant, isLong: true);
        TestContext.Current.TestOutputHelper?.WriteLine($"{model} {variant}: {result.States} states");
        Assert.True(result is { Errors: 0, IsComplete: true }, $"{model} {variant} does not hold. {result.Output}");
    }

    /// <summary>A claim is broken in some state.</summary>
    public static void Fails(string model, string variant)
    {
        var result = Spin.Check(model, variant, isLong: false);
        Assert.True(result.Errors > 0, $"{model} does not find {variant}. {result.Output}");
        Assert.Contains("assertion violated", result.Output, StringComparison.Ordinal);
    }
}
