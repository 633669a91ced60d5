using System.Globalization;

namespace NumaSharp.Hosting.Configuration;

/// <summary>An item of a list that knows its key, which differs from its position if keys are left out.</summary>
internal interface IConfiguredItem
{
    /// <summary>The key below the list, or <see langword="null"/> for an item added by code.</summary>
    string? Key { get; set; }

    /// <summary>The item's name in messages.</summary>
    string KeyAt(int position) => Key ?? position.ToString(CultureInfo.InvariantCulture);
}
