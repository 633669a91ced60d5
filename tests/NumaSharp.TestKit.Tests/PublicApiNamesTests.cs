using System.Diagnostics.CodeAnalysis;

namespace NumaSharp.TestKit.Tests;

public sealed class PublicApiNamesTests
{
    private interface ISample
    {
        Action<object?>? Handler { get; }

        Dictionary<string, string?[]> Lists { get; }

        IReadOnlyList<int?> Numbers { get; }

        bool Find(scoped ReadOnlySpan<byte> key, ref readonly int hint, in long limit, [NotNullWhen(true)] out string? value);

        void Add(params ReadOnlySpan<int> numbers);
    }

    [Theory]
    [InlineData(nameof(ISample.Handler), "Action<object?>?")]
    [InlineData(nameof(ISample.Lists), "Dictionary<string, string?[]>")]
    [InlineData(nameof(ISample.Numbers), "IReadOnlyList<int?>")]
    public void Of_AProperty_HasTheNullabilityOfEachPart(string property, string expected) =>
        Assert.Equal(expected, PublicApiNames.Of(typeof(ISample).GetProperty(property)!));

    [Theory]
    [InlineData(
        nameof(ISample.Find),
        "scoped ReadOnlySpan<byte> key, ref readonly int hint, in long limit, [NotNullWhen(true)] out string? value")]
    [InlineData(nameof(ISample.Add), "params ReadOnlySpan<int> numbers")]
    public void OfParameter_OfAMethod_IsAsInCSharp(string method, string expected) => Assert.Equal(
        expected,
        string.Join(", ", typeof(ISample).GetMethod(method)!.GetParameters().Select(PublicApiNames.OfParameter)));

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
