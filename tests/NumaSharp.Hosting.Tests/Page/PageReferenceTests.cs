using System.Text.Json;
using NumaSharp.Hosting.Page;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Page;

public sealed class PageReferenceTests
{
    [Fact]
    public void Fields_AllAndOnlyThese_AreInTheReference()
    {
        var documented = File.ReadLines(Repository.PathOf("docs", "reference", "page.md"))
            .Where(static line => line.StartsWith("| `", StringComparison.Ordinal))
            .Select(static line => line.Split('`')[1]);
        Assert.Equal(FieldsOf(typeof(PageData), "").Order(StringComparer.Ordinal), documented.Order(StringComparer.Ordinal));
    }

    private static IEnumerable<string> FieldsOf(Type type, string prefix)
    {
        foreach (var property in type.GetProperties())
        {
            var isList = property.PropertyType.IsGenericType
                && property.PropertyType.GetGenericTypeDefinition() == typeof(IReadOnlyList<>);
            var inner = isList ? property.PropertyType.GetGenericArguments()[0] : property.PropertyType;
            var path = prefix + JsonNamingPolicy.CamelCase.ConvertName(property.Name) + (isList ? "[]" : "");
            yield return path;
            if (inner.Namespace == type.Namespace)
            {
                foreach (var field in FieldsOf(inner, path + "."))
                {
                    yield return field;
                }
            }
        }
    }
}
