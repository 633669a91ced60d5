namespace NumaSharp.TestKit.Tests;

public sealed class PublicApiNamesTests
{
    private interface ISample
    {
        Action<object?>? Handler { get; }

        Dictionary<string, string?[]> Lists { get; }

        IReadOnlyList<int?> Numbers { get; }
    }

    [Theory]
    [InlineData(nameof(ISample.Handler), "Action<object?>?")]
    [InlineData(nameof(ISample.Lists), "Dictionary<string, string?[]>")]
    [InlineData(nameof(ISample.Numbers), "IReadOnlyList<int?>")]
    public void Of_AProperty_HasTheNullabilityOfEachPart(string property, string expected) =>
        Assert.Equal(expected, PublicApiNames.Of(typeof(ISample).GetProperty(property)!));

    [Theory]
    [InlineData(typeof(List<>), "")]
    [InlineData(typeof(Nullable<>), " where T : struct")]
    [InlineData(typeof(WeakReference<>), " where T : class")]
    public void OfConstraints_ATypeOfTheFramework_AreAsInCSharp(Type type, string expected)
    {
        ArgumentNullException.ThrowIfNull(type);
        Assert.Equal(expected, PublicApiNames.OfConstraints(type.GetGenericArguments()));
    }
}
